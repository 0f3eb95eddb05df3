// Node.js 18 has WebCrypto, but not as a global; `imports` of package.json chooses this file for Node.js.
export { webcrypto } from "node:crypto";
