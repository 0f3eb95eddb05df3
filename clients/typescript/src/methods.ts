import { webcrypto } from "#webcrypto";
import { Transport, type HearbackOptions } from "./transport.js";
import type { Page } from "./types.js";

export interface WriteOptions {
  /** Identifies the write: the server does it once, even if it is sent again. Random by default. */
  idempotencyKey?: string | undefined;
}

/** The kinds of endpoints. Each function makes a method from a path. */
export class Methods {
  readonly #transport: Transport;

  constructor(options: HearbackOptions) {
    this.#transport = new Transport(options);
  }

  protected read<P extends object, R>(path: string) {
    return (...[params]: Arguments<P>): Promise<R> => this.#transport.call(path, params);
  }

  protected all<R>(path: string) {
    return (): Promise<R> => this.#transport.call(path);
  }

  protected byId<R>(path: string, member: string) {
    return (id: string): Promise<R> => this.#transport.call(path, { [member]: id });
  }

  protected write<P extends object, R>(path: string) {
    return (params: P, options: WriteOptions = {}): Promise<R> =>
      this.#transport.call(path, params, options.idempotencyKey ?? webcrypto.randomUUID());
  }

  protected pages<P extends object, R>(path: string) {
    return (...[params]: Arguments<P>): AsyncGenerator<R, void, undefined> => this.#items(path, params);
  }

  async *#items<R>(path: string, first: object = {}): AsyncGenerator<R, void, undefined> {
    let params = first;
    for (;;) {
      const page: Page<R> = await this.#transport.call(path, params);
      yield* page.items;
      if (!page.has_next_page || page.cursor === null) {
        return;
      }
      // The server refuses `skip` with a cursor.
      params = { ...first, skip: undefined, cursor: page.cursor };
    }
  }
}

/** The argument is optional if all parameters are optional. */
type Arguments<P> = {} extends P ? [params?: P] : [params: P];
