import { type Call, type EnsureFrontend, hostError, type Instance, type StopInstance } from '@lateen/block-engine';
import { type AttachedDevice, type BlockFrontend, type FrontendKind, reserveBytesOf } from '@lateen/block-frontend';
import { AppError } from '@lateen/errors';
import { InFlight } from '@lateen/grpc';
import type { InstanceBoard, KeeperState } from '@lateen/instance-host';
import type { Clock, Logger, Random } from '@lateen/kernel';
import type { InstanceNotes } from '../notes/instance-notes.ts';
import { instanceError } from '../replicas/replica-entry.ts';
import type { DeviceLinks } from './device-link.ts';
import type { FrontendNote } from './frontend-note.ts';

export interface FrontendHostPorts {
  frontend: BlockFrontend;
  kind: FrontendKind;
  links: DeviceLinks;
  notes: InstanceNotes<FrontendNote>;
  board: InstanceBoard;
  /** Name of the export that engines serve on their sockets. */
  exportName: string;
  clock: Clock;
  random: Random;
  log: Logger;
}

/** How long a call waits for another call on the same front end. */
const turnMs = 60_000;

/** The devices of volumes that are attached on this node. Only one call at a time makes or ends a front end. */
export class FrontendHost {
  readonly #ports: FrontendHostPorts;
  readonly #notes = new Map<string, FrontendNote>();
  readonly #turns = new InFlight();

  constructor(ports: FrontendHostPorts) {
    this.#ports = ports;
  }

  /** See `InstanceHost`. */
  ensure(request: EnsureFrontend, o: Call): Promise<Instance> {
    return this.#inTurn(request.name, o, () => this.#ensure(request, o));
  }

  async #inTurn<T>(name: string, { signal }: Call, work: () => Promise<T>): Promise<T> {
    const keys = [{ id: `front end ${name}`, mode: 'exclusive' as const }];
    using _turn = await this.#turns.enterWithin(keys, { waitMs: turnMs, clock: this.#ports.clock, signal });
    return await work();
  }

  async #ensure(request: EnsureFrontend, { signal }: Call): Promise<Instance> {
    const { board, frontend, kind, notes, random, exportName } = this.#ports;
    const { name, volume, engine, generation } = request;
    if (request.readOnly) throw hostError('NOT_POSSIBLE_NOW', 'read-only front ends are not supported');
    const socketPath = this.#engineSocket(request);
    const present = this.#notes.get(name);
    if (present !== undefined && present.generation > generation)
      throw hostError('GENERATION_OVER', `the front end ${name} is of generation ${present.generation}`);
    const shown = board.get({ kind: 'frontend', name });
    if (shown?.state === 'running' && shown.generation === generation) return shown;
    // A run that has ended is not started again; one that was begun is continued.
    const isBegun = present?.generation === generation && shown?.state === 'starting';
    const note = isBegun ? present : { name, volume, engine, generation, run: random.uuid() };
    if (!isBegun && (await frontend.look(volume, signal)).kind !== 'none') await this.#clear(volume, signal);
    await notes.write(note);
    this.#notes.set(name, note);
    this.#tell(note, 'starting');
    const sizeBytes = Number(request.sizeBytes);
    const reserveBytes = kind === 'nbdfuse' ? reserveBytesOf(sizeBytes) : 0;
    try {
      const device = await frontend.start(
        { volume, run: note.run, socketPath, exportName, sizeBytes, reserveBytes },
        signal,
      );
      await this.#ports.links.set(volume, device.path);
    } catch (error) {
      if (!signal.aborted) this.#tell(note, 'error', error);
      throw error;
    }
    return this.#tell(note, 'running');
  }

  /** Removes what an earlier front end has left. @throws `NOT_POSSIBLE_NOW` while it is in use */
  async #clear(volume: string, signal: AbortSignal): Promise<void> {
    await this.#ports.frontend.stop(volume, signal);
    await this.#ports.links.remove(volume);
  }

  #engineSocket({ engine, generation }: EnsureFrontend): string {
    const running = this.#ports.board.get({ kind: 'engine', name: engine });
    if (running?.state === 'running' && running.generation === generation && running.endpoint !== undefined)
      return running.endpoint;
    throw hostError('INSTANCE_NOT_FOUND', `engine ${engine} does not run here under generation ${generation}`);
  }

  /** See `InstanceHost`. */
  stop(request: StopInstance, o: Call): Promise<{ clean: boolean }> {
    return this.#inTurn(request.name, o, () => this.#stop(request, o));
  }

  async #stop({ name, generation }: StopInstance, { signal }: Call): Promise<{ clean: boolean }> {
    const note = this.#notes.get(name);
    if (note === undefined) return { clean: true };
    if (note.generation > generation)
      throw hostError('GENERATION_OVER', `the front end ${name} is of generation ${note.generation}`);
    this.#tell(note, 'stopping');
    await this.#clear(note.volume, signal);
    await this.#ports.notes.remove(name);
    this.#notes.delete(name);
    this.#ports.board.remove({ kind: 'frontend', name });
    return { clean: true };
  }

  /** Resizes the device after its engine has grown. Does nothing without a device. */
  async grow(engine: string, sizeBytes: bigint, { signal }: Call): Promise<void> {
    const note = this.#of(engine);
    if (note === undefined || (await this.#ports.frontend.look(note.volume, signal)).kind !== 'attached') return;
    await this.#ports.frontend.grow(note.volume, Number(sizeBytes), signal);
  }

  /** @throws `NOT_POSSIBLE_NOW` when the engine's volume has a device, or remains of one */
  assertNone(engine: string): void {
    const note = this.#of(engine);
    if (note === undefined) return;
    throw hostError('NOT_POSSIBLE_NOW', `volume ${note.volume} has a device on this node`, {
      nextStep: 'Attach it without a front end (maintenance mode) first.',
    });
  }

  #of(engine: string): FrontendNote | undefined {
    return [...this.#notes.values()].find((one) => one.engine === engine);
  }

  /** The device of an engine's volume; undefined without one. */
  async deviceOf(engine: string, signal: AbortSignal): Promise<AttachedDevice | undefined> {
    const note = this.#of(engine);
    if (note === undefined) return undefined;
    const state = await this.#ports.frontend.look(note.volume, signal);
    return state.kind === 'attached' ? state.device : undefined;
  }

  /** Takes over existing devices, and detaches devices of volumes without a note. */
  async adopt(signal: AbortSignal): Promise<void> {
    const { frontend, links, notes } = this.#ports;
    const all = await notes.readAll();
    const noted = new Set(all.map(({ volume }) => volume));
    await frontend.detachLost(noted, (volume, device) => links.remove(volume, device), signal);
    for (const note of all) {
      this.#notes.set(note.name, note);
      const state = await frontend.look(note.volume, signal);
      if (state.kind === 'attached') {
        await links.set(note.volume, state.device.path);
        this.#tell(note, 'running');
      } else {
        const reason = state.kind === 'none' ? 'it no longer exists on this node' : state.reason;
        this.#tell(note, 'error', ended(note, reason));
      }
    }
  }

  /** The result of a keeper's pass. */
  noticed({ processes }: KeeperState): void {
    const byId = new Map(processes.map((one) => [one.id, one]));
    for (const note of this.#notes.values()) {
      const shown = this.#ports.board.get({ kind: 'frontend', name: note.name });
      const kept = byId.get(`frontend-${note.volume}`);
      if (shown?.state !== 'running' || (kept !== undefined && kept.health !== 'gone')) continue;
      this.#tell(note, 'error', ended(note, kept?.reason ?? 'its process has ended'));
    }
  }

  #tell(note: FrontendNote, state: Instance['state'], error?: unknown): Instance {
    const instance: Instance = {
      ...{ kind: 'frontend', name: note.name, volume: note.volume, generation: note.generation, state },
      uuid: note.run,
      ...(state === 'running' ? { endpoint: this.#ports.links.pathOf(note.volume) } : {}),
      ...(error === undefined ? {} : { error: instanceError(error) }),
    };
    this.#ports.board.set(instance);
    return instance;
  }
}

const ended = ({ volume }: FrontendNote, reason: string) =>
  new AppError('FRONTEND_ENDED', `the device of volume ${volume} is gone: ${reason}`, {
    nextStep: 'Attach the volume again: pods that use it get I/O errors.',
  });
