"""Says what the library of the Standard Webhooks specification makes of a delivery.

It reads the secret, the headers and the body as members of a JSON object, and writes another one
with one member: what the library returned (verified) or how it refused it (refused).
"""

import json
import sys

from standardwebhooks import Webhook, WebhookVerificationError

delivery = json.load(sys.stdin)
try:
    verdict = {"verified": Webhook(delivery["secret"]).verify(delivery["body"].encode(), delivery["headers"])}
except WebhookVerificationError as error:
    verdict = {"refused": str(error)}
json.dump(verdict, sys.stdout)
