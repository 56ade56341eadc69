import type { AppError } from '@lateen/errors';
import type { QemuVersion, QmpEvent } from './qmp-message.ts';

export type QmpArguments = Readonly<Record<string, unknown>>;

export interface ExecuteOptions {
  /** Ends the wait, not the command: QMP takes nothing back. */
  signal?: AbortSignal | undefined;
  /** Texts among the arguments that no error message may repeat. */
  secrets?: readonly string[];
}

/**
 * A monitor of one storage daemon. Commands may overlap; each is answered by its id.
 * @throws QMP_COMMAND_FAILED (the daemon refused: `details.class`, `details.description`), STORAGE_DAEMON_ENDED (with the last
 * lines of its stderr where we started it; whether the command was carried out is not known), QMP_SILENT (no answer in
 * time), QMP_BUSY (too many commands without an answer), QMP_CLOSED (disposed), QMP_PROTOCOL, FUSE_EXPORT_REFUSED
 *
 * After an abort, and after every error but QMP_COMMAND_FAILED, QMP_BUSY and FUSE_EXPORT_REFUSED, it is not known whether the command was
 * carried out, and it may still be running: the caller queries the state of the daemon before it continues.
 */
export interface Qmp {
  execute(command: string, args?: QmpArguments, options?: ExecuteOptions): Promise<unknown>;
  /** Called for every event until the returned function is called. A listener does not throw. */
  onEvent(listener: (event: QmpEvent) => void): () => void;
}

/** Disposing closes the connection; the daemon continues. */
export interface QmpConnection extends Qmp, AsyncDisposable {
  readonly version: QemuVersion;
  /** Resolves when the connection has ended, with the cause. Never rejects. */
  readonly closed: Promise<AppError>;
}

export const qmpLimits = {
  /** The answer to query-qmp-schema takes 117 kB with 10.0; block nodes of a chain of 250 layers 400 kB. */
  messageBytesMax: 8 * 1024 * 1024,
  /** Commands without an answer; a replica has a handful at a time. */
  pendingMax: 64,
  /** A second client of a monitor gets no greeting until the first has gone. */
  greetingMs: 10_000,
  /** Opening a large qcow2 on a busy disk takes seconds; longer than this the daemon hangs. */
  commandMs: 60_000,
  /** From the end of the connection to that of the process. */
  lastWordsMs: 2_000,
} as const;
export type QmpLimits = { readonly [K in keyof typeof qmpLimits]: number };
