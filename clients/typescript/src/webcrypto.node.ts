// Node.js 18 has no global WebCrypto. `imports` in package.json selects this file for Node.js.
export { webcrypto } from "node:crypto";
