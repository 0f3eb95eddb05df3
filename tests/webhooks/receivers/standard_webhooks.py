"""Verifies a delivery with the library of the Standard Webhooks specification.

The script reads a JSON object with the secret, the headers and the body. It writes an object with
one member: the value that the library returned (verified), or the text of its error (refused).
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
