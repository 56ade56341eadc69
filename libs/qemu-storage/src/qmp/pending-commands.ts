import { AppError } from '@lateen/errors';
import { redacted } from '@lateen/kernel';
import type { QmpMessage } from './qmp-message.ts';

interface Pending {
  command: string;
  secrets: readonly string[];
  resolve(value: unknown): void;
  reject(error: AppError): void;
}

type Reply = Extract<QmpMessage, { kind: 'answer' | 'refusal' }>;

/** The commands that have no answer yet, by id. */
export class PendingCommands {
  readonly #max: number;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #end: AppError | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  /** @throws QMP_BUSY, or the error by which the connection has ended */
  add(command: string, secrets: readonly string[]): { id: number; answer: Promise<unknown> } {
    if (this.#end !== undefined) throw this.#end;
    if (this.#pending.size >= this.#max)
      throw new AppError('QMP_BUSY', `${this.#max} commands of the storage daemon have no answer yet`, {
        retry: 'soon',
      });
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    // The caller may have given up before the answer comes.
    promise.catch(() => {});
    this.#pending.set(id, { command, secrets, resolve, reject });
    return { id, answer: promise };
  }

  /** @throws QMP_PROTOCOL for an answer without a request */
  settle(reply: Reply): void {
    const pending = reply.id === undefined ? undefined : this.#pending.get(reply.id);
    if (reply.id === undefined || pending === undefined)
      throw new AppError('QMP_PROTOCOL', 'the storage daemon answered to what was not asked');
    this.#pending.delete(reply.id);
    if (reply.kind === 'answer') pending.resolve(reply.value);
    else pending.reject(commandFailed(pending, reply));
  }

  /** Nothing is answered any more. */
  end(error: AppError): void {
    this.#end = error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}

function commandFailed({ command, secrets }: Pending, reply: { class: string; description: string }): AppError {
  const description = secrets
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, redacted), reply.description);
  return new AppError('QMP_COMMAND_FAILED', `the storage daemon refused ${command}: ${description}`, {
    details: { command, class: reply.class, description },
  });
}
