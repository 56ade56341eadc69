import { describeError } from '@lateen/errors';
import type { LogFields, Logger } from '@lateen/kernel';

/** What an action said of an item that is stored all the same. */
export interface Trouble {
  /** The action. */
  by: string;
  reason: string;
}

/** Listens to what actions log of one item. */
export class Troubles {
  #first: Trouble | undefined;

  get first(): Trouble | undefined {
    return this.#first;
  }

  /** The same log. */
  watch(by: string, log: Logger): Logger {
    const note = (fields: LogFields, message: string) => {
      const why = fields.err === undefined ? fields.reason : describeError(fields.err);
      this.#first ??= { by, reason: why === undefined ? message : `${message}: ${why}` };
    };
    return {
      debug: (fields, message) => log.debug(fields, message),
      info: (fields, message) => log.info(fields, message),
      warn: (fields, message) => {
        note(fields, message);
        log.warn(fields, message);
      },
      error: (fields, message) => {
        note(fields, message);
        log.error(fields, message);
      },
      child: (fields) => this.watch(by, log.child(fields)),
    };
  }
}
