import { rm } from 'node:fs/promises';
import { hostError, type Instance, type InstanceHost, type StopInstance } from '@lateen/block-engine';
import { AppError } from '@lateen/errors';
import type { InstanceBoard, ProcessKeeper } from '@lateen/instance-host';
import { type Clock, type Logger, type Random, retry } from '@lateen/kernel';
import type { Files } from '@lateen/volume';
import type { InstanceNotes } from '../notes/instance-notes.ts';
import type { Places } from '../places.ts';
import { instanceError } from '../replicas/replica-entry.ts';
import type { EngineNote } from './engine-note.ts';

export interface EngineHostPorts {
  keeper: Pick<ProcessKeeper, 'want' | 'unwant' | 'look'>;
  board: InstanceBoard;
  notes: InstanceNotes<EngineNote>;
  places: Places;
  files: Pick<Files, 'makeDirectory'>;
  /** Writes what the process is told, and says how it is started. */
  command(note: EngineNote): Promise<readonly string[]>;
  /** The instance API on its socket. */
  connect(socketPath: string): InstanceHost & Disposable;
  clock: Clock;
  random: Random;
  log: Logger;
}

export const engineLimits = {
  /** A call waits for another one on the same engine for so long. */
  turnMs: 60_000,
  /** From the start of the process to its first answer. */
  readyMs: 20_000,
  /** A process is killed half a minute after it was asked to end. */
  endMs: 45_000,
  /** What has ended is told of for so long: a day without any manager is more than an outage. */
  rememberedMs: 24 * 60 * 60_000,
} as const;

const pollMs = 50;
const readyBackoff = { firstMs: 50, maxMs: 500, factor: 1.5, jitter: 0.2 };
const followAgainMs = 500;

/** One start of one engine, in a process of its own. */
export class EngineChild {
  readonly host: InstanceHost & Disposable;
  readonly #ports: EngineHostPorts;
  #note: EngineNote;
  #instance: Instance;
  #isStopping = false;
  #isFollowed = false;
  /** Of its note: one after the other. */
  #writing: Promise<void> = Promise.resolve();
  /** Ends with the engine. */
  readonly #over = new AbortController();

  constructor(ports: EngineHostPorts, note: EngineNote) {
    this.#ports = ports;
    this.#note = note;
    this.host = ports.connect(ports.places.engine(note.name).socketPath);
    const { name, volume, generation, run } = note;
    this.#instance = { kind: 'engine', name, volume, generation, state: 'starting', uuid: run };
  }

  get note(): EngineNote {
    return this.#note;
  }

  get processId(): string {
    return `engine-${this.#note.name}`;
  }

  get instance(): Instance {
    return this.#instance;
  }

  /** It has not ended, as far as anybody knows. */
  get isThere(): boolean {
    return this.#note.ended === undefined;
  }

  tell(state: Instance['state']): void {
    this.#set({ ...this.#instance, state });
  }

  /** What its process says of it. */
  told(instance: Instance): Instance {
    const { name, volume, generation, run } = this.#note;
    this.#set({ ...instance, kind: 'engine', name, volume, generation, uuid: run });
    return this.#instance;
  }

  /** One that has ended before this program began. */
  remember(instance: Instance): void {
    this.#over.abort();
    this.#set(instance);
  }

  #set(instance: Instance): void {
    this.#instance = instance;
    this.#ports.board.set(instance);
  }

  /** The note comes first: whoever comes after us must not start this generation again. */
  async start(signal: AbortSignal): Promise<void> {
    const { keeper, notes, files, places, command, clock } = this.#ports;
    const { volume, run, name } = this.#note;
    await files.makeDirectory(places.engine(name).directory);
    await notes.write(this.#note);
    keeper.want({ id: this.processId, kind: 'engine-host', run, argv: await command(this.#note), volume });
    for (;;) {
      const kept = await this.#find(signal);
      if (kept?.run === run && kept.health === 'gone')
        throw new AppError('ENGINE_ENDED', kept.reason ?? `the process of engine ${name} has ended at once`);
      if (kept?.run === run && kept.health !== 'unsure') break;
      await clock.sleep(pollMs, signal);
    }
    await this.answered(signal);
  }

  /** Resolves when its process answers. */
  async answered(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#ports;
    const policy = { backoff: readyBackoff, budgetMs: engineLimits.readyMs, mayRetry: () => true };
    await retry({ clock, random }, policy, async () => void (await this.host.info({ signal })), signal);
  }

  async isAlive(signal: AbortSignal): Promise<boolean> {
    const kept = await this.#find(signal);
    return kept?.run === this.#note.run && kept.health !== 'gone';
  }

  async #find(signal: AbortSignal) {
    return (await this.#ports.keeper.look(signal)).processes.find(({ id }) => id === this.processId);
  }

  /** What it says goes to the board from now on, until it has ended. Again is fine. */
  follow(stopping: AbortSignal): void {
    if (this.#isFollowed) return;
    this.#isFollowed = true;
    const signal = AbortSignal.any([stopping, this.#over.signal]);
    const once = async () => {
      for await (const event of this.host.watch({ signal }))
        if (event.type === 'changed' && event.instance.kind === 'engine') await this.#heard(event.instance, stopping);
    };
    const loop = async () => {
      while (!signal.aborted) {
        await once().catch((error: unknown) => {
          if (!signal.aborted) this.#ports.log.debug({ engine: this.#note.name, err: error }, 'an engine is not heard');
        });
        await this.#ports.clock.sleep(followAgainMs, signal).catch(() => {});
      }
    };
    void loop();
  }

  /** One that says that it is over has no use for its process any more. */
  async #heard(instance: Instance, signal: AbortSignal): Promise<void> {
    if (!this.isThere) return;
    this.told(instance);
    // Whoever stops it ends its process too.
    if (this.#isStopping || (instance.state !== 'error' && instance.state !== 'stopped')) return;
    await this.#noteEnd();
    await this.end(signal).catch((error: unknown) => {
      if (!signal.aborted)
        this.#ports.log.warn({ engine: this.#note.name, err: error }, 'the process of an engine does not end');
    });
  }

  /** Its start or its process has failed; the generation has had its start. */
  async failed(error: unknown): Promise<void> {
    this.#set({ ...this.#instance, state: 'error', error: instanceError(error) });
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
        this.#ports.log.warn({ engine: this.#note.name, err: error }, 'an engine did not stop in order');
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

  async #noteEnd(): Promise<void> {
    this.#note = { ...this.#note, ended: { atMs: this.#ports.clock.now(), instance: this.#instance } };
    this.#over.abort();
    const write = () => this.#ports.notes.write(this.#note);
    this.#writing = this.#writing.then(write, write);
    await this.#writing;
  }

  /** Resolves when its process is gone. @throws `NOT_POSSIBLE_NOW` when it takes too long */
  async end(signal: AbortSignal): Promise<void> {
    const { keeper, clock, places } = this.#ports;
    keeper.unwant(this.processId);
    const late = clock.deadline(engineLimits.endMs);
    const either = AbortSignal.any([signal, late]);
    try {
      while ((await this.#find(either)) !== undefined) await clock.sleep(pollMs, either);
    } catch (error) {
      signal.throwIfAborted();
      if (!late.aborted) throw error;
      throw hostError('NOT_POSSIBLE_NOW', `the process of engine ${this.#note.name} does not end`, { cause: error });
    }
    this.host[Symbol.dispose]();
    await rm(places.engine(this.#note.name).directory, { recursive: true, force: true });
  }
}
