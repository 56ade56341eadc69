import { describeError } from '@lateen/errors';
import type { LogFields, Logger } from '@lateen/kernel';

/** A problem that an action reported for an item which is stored all the same. */
export interface Trouble {
  /** The action. */
  by: string;
  reason: string;
}

/** Observes what actions log about one item. */
export class Troubles {
  #first: Trouble | undefined;

  get first(): Trouble | undefined {
    return this.#first;
  }

  /** Returns the same log, observed. */
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
