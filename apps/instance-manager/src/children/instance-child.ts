import { rm } from 'node:fs/promises';
import { hostError, type Instance, type InstanceHost, type StopInstance } from '@lateen/block-engine';
import { AppError } from '@lateen/errors';
import { retry } from '@lateen/kernel';
import { instanceError } from '../replicas/replica-entry.ts';
import type { ChildNote } from './child-note.ts';
import { type ChildKind, type ChildPorts, childLimits } from './child-ports.ts';

const pollMs = 50;
const readyBackoff = { firstMs: 50, maxMs: 100, factor: 1.5, jitter: 0.2 };
const followAgainMs = 500;

/** One start of one engine or transfer, in a process of its own. */
export class InstanceChild {
  readonly host: InstanceHost & Disposable;
  readonly #ports: ChildPorts;
  readonly #of: ChildKind;
  #note: ChildNote;
  #instance: Instance;
  #isStopping = false;
  #isFollowed = false;
  /** Serializes the writes of its note. */
  #writing: Promise<void> = Promise.resolve();
  /** Aborts when the instance ends. */
  readonly #over = new AbortController();

  constructor(ports: ChildPorts, of: ChildKind, note: ChildNote) {
    this.#ports = ports;
    this.#of = of;
    this.#note = note;
    this.host = ports.connect(of.place(ports.places, note.name).socketPath);
    const { name, volume, generation, run } = note;
    this.#instance = { kind: of.kind, name, volume, generation, state: 'starting', uuid: run };
  }

  get note(): ChildNote {
    return this.#note;
  }

  get processId(): string {
    return `${this.#of.kind}-${this.#note.name}`;
  }

  get #what(): string {
    return `${this.#of.kind} ${this.#note.name}`;
  }

  get instance(): Instance {
    return this.#instance;
  }

  /** True until its end is known. */
  get isThere(): boolean {
    return this.#note.ended === undefined;
  }

  tell(state: Instance['state']): void {
    this.#set({ ...this.#instance, state });
  }

  /** Handles a report of its process. */
  told(instance: Instance): Instance {
    const { name, volume, generation, run } = this.#note;
    this.#set({ ...instance, kind: this.#of.kind, name, volume, generation, uuid: run });
    return this.#instance;
  }

  /** Restores an instance that ended before this program started. */
  remember(instance: Instance): void {
    this.#over.abort();
    // The earlier program may have died before it had ended the process.
    this.#ports.keeper.unwant(this.processId);
    this.#set(instance);
  }

  #set(instance: Instance): void {
    this.#instance = instance;
    this.#ports.board.set(instance);
  }

  /** The note is written first: a later program must not start this generation again. */
  async start(signal: AbortSignal): Promise<void> {
    const { keeper, notes, files, places, command, clock } = this.#ports;
    const { volume, run, name } = this.#note;
    await files.makeDirectory(this.#of.place(places, name).directory);
    await notes.write(this.#note);
    keeper.want({ id: this.processId, kind: this.#of.process, run, argv: await command(this.#note), volume });
    for (;;) {
      const kept = await this.#find(signal);
      if (kept?.run === run && kept.health === 'gone')
        throw new AppError(
          this.#of.endedCode,
          kept.reason ?? `the process of ${this.#what} ended right after its start`,
        );
      if (kept?.run === run && kept.health !== 'unsure') break;
      await clock.sleep(pollMs, signal);
    }
    await this.answered(signal);
  }

  /** Resolves when its process answers. */
  async answered(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#ports;
    const policy = { backoff: readyBackoff, budgetMs: childLimits.readyMs, mayRetry: () => true };
    await retry({ clock, random }, policy, async () => void (await this.host.info({ signal })), signal);
  }

  async isAlive(signal: AbortSignal): Promise<boolean> {
    const kept = await this.#find(signal);
    return kept?.run === this.#note.run && kept.health !== 'gone';
  }

  async #find(signal: AbortSignal) {
    return (await this.#ports.keeper.look(signal)).processes.find(({ id }) => id === this.processId);
  }

  /** From now on its reports go to the board, until it has ended. Safe to repeat. */
  follow(stopping: AbortSignal): void {
    if (this.#isFollowed) return;
    this.#isFollowed = true;
    const signal = AbortSignal.any([stopping, this.#over.signal]);
    const once = async () => {
      for await (const event of this.host.watch({ signal }))
        if (event.type === 'changed' && event.instance.kind === this.#of.kind)
          await this.#heard(event.instance, stopping);
    };
    const loop = async () => {
      while (!signal.aborted) {
        await once().catch((error: unknown) => {
          if (!signal.aborted)
            this.#ports.log.debug({ [this.#of.kind]: this.#note.name, err: error }, 'the watch of a process has ended');
        });
        await this.#ports.clock.sleep(followAgainMs, signal).catch(() => {});
      }
    };
    void loop();
  }

  /** An instance that reports its end does not need its process any more. */
  async #heard(instance: Instance, signal: AbortSignal): Promise<void> {
    if (!this.isThere || this.#over.signal.aborted) return;
    this.told(instance);
    // The caller of `stop` also ends the process.
    if (this.#isStopping || (instance.state !== 'error' && instance.state !== 'stopped')) return;
    await this.#noteEnd();
    await this.end(signal).catch((error: unknown) => {
      if (!signal.aborted)
        this.#ports.log.warn(
          { [this.#of.kind]: this.#note.name, err: error },
          'a process whose instance has ended does not exit',
        );
    });
  }

  /** Its start or its process has failed; the generation cannot be started again. */
  async failed(error: unknown): Promise<void> {
    const failed: Instance = { ...this.#instance, state: 'error', error: instanceError(error) };
    this.#set(this.#of.shownAtEnd?.(failed) ?? failed);
    await this.#noteEnd();
    this.#ports.keeper.unwant(this.processId);
  }

  /** Asks it to stop, and ends its process. True when every write is on every replica. */
  async stop(request: StopInstance, signal: AbortSignal): Promise<boolean> {
    this.#isStopping = true;
    this.tell('stopping');
    const clean = await this.host.stop(request, { signal }).then(
      (answer) => answer.clean,
      (error: unknown) => {
        signal.throwIfAborted();
        this.#ports.log.warn({ [this.#of.kind]: this.#note.name, err: error }, 'an instance did not stop cleanly');
        return false;
      },
    );
    const { engine } = this.#instance;
    this.#set({
      ...this.#instance,
      state: 'stopped',
      ...(engine === undefined ? {} : { engine: { ...engine, cleanStop: clean } }),
    });
    await this.#noteEnd();
    await this.end(signal);
    return clean;
  }

  /** Ends its process and removes it from the board and the notes. */
  async forget(signal: AbortSignal): Promise<void> {
    const { board, notes } = this.#ports;
    this.#isStopping = true;
    this.#over.abort();
    if (this.isThere) this.tell('stopping');
    await this.end(signal);
    await this.#inOrder(() => notes.remove(this.#note.name));
    board.remove({ kind: this.#of.kind, name: this.#note.name });
  }

  async #noteEnd(): Promise<void> {
    this.#note = { ...this.#note, ended: { atMs: this.#ports.clock.now(), instance: this.#instance } };
    this.#over.abort();
    await this.#inOrder(() => this.#ports.notes.write(this.#note));
  }

  async #inOrder(work: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(work, work);
    await this.#writing;
  }

  /** Resolves when its process has ended. @throws `NOT_POSSIBLE_NOW` when it takes too long */
  async end(signal: AbortSignal): Promise<void> {
    const { keeper, clock, places } = this.#ports;
    keeper.unwant(this.processId);
    const late = clock.deadline(childLimits.endMs);
    const either = AbortSignal.any([signal, late]);
    try {
      while ((await this.#find(either)) !== undefined) await clock.sleep(pollMs, either);
    } catch (error) {
      signal.throwIfAborted();
      if (!late.aborted) throw error;
      throw hostError('NOT_POSSIBLE_NOW', `the process of ${this.#what} does not end`, { cause: error });
    }
    this.host[Symbol.dispose]();
    await rm(this.#of.place(places, this.#note.name).directory, { recursive: true, force: true });
  }
}
