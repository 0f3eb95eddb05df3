// Helpers of the tests, which run against a server with the demo organization (../run-tests).

import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Hearback, type FeedbackPost } from "hearback";

export const URL = setting("HEARBACK_TEST_URL");
export const KEY = setting("HEARBACK_TEST_KEY");
export const NOWHERE = "00000000-0000-7000-8000-000000000000";

export const client = new Hearback({ apiKey: KEY, baseUrl: URL });

export function setting(name: string): string {
  const value = process.env[name];
  assert(value, `${name} is not set`);
  return value;
}

export function present<T>(value: T | null | undefined): T {
  assert(value !== null && value !== undefined);
  return value;
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) {
    found.push(item);
  }
  return found;
}

/** Posts that permit votes. Test files run at once: each uses different posts. */
export async function openPosts(): Promise<FeedbackPost[]> {
  const boards = (await client.feedbackBoards.list()).filter((board) => board.is_voting_enabled).map(({ id }) => id);
  const { items } = await client.feedbackPosts.list({ limit: 100 });
  return items.filter((post) => boards.includes(post.board_id) && post.merged_into_id === null);
}

export async function hasVote(post: FeedbackPost): Promise<boolean> {
  const voters = client.votes.iterateVoters({ post_id: post.id, post_type: "feedback" });
  return (await all(voters)).some((voter) => voter.user_id === post.author_id);
}

export interface Received {
  headers: IncomingMessage["headers"];
  path: string;
  body: string;
}

/** A server on the loopback interface. `answer` gets whole requests. `close` ends the server. */
export async function serve(answer: (request: Received, response: ServerResponse, nth: number) => void) {
  const requests: Received[] = [];
  const server = createServer(async (message, response) => {
    let body = "";
    for await (const chunk of message.setEncoding("utf8")) {
      body += chunk;
    }
    const request = { headers: message.headers, path: present(message.url), body };
    requests.push(request);
    answer(request, response, requests.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    requests,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close(): void {
      server.close();
      server.closeAllConnections();
    },
  };
}
