import { Endpoints } from "./endpoints.js";

/**
 * A client of one organization. Its members are the resources. Their members are the endpoints.
 * `docs/api.md` of Hearback describes the requests and the answers.
 */
export class Hearback extends Endpoints {}
