import { hostError, type Instance, type InstanceError, type ReplicaFacts } from '@lateen/block-engine';
import { AppError, describeError, isAppError } from '@lateen/errors';
import { exportName, headExport } from '@lateen/instance-host';
import { type Call, qemuBlocks, type ReplicaStore, replicaStore } from '@lateen/replica-store';
import { DaemonLine } from './daemon-line.ts';
import { factsOf } from './replica-facts.ts';
import type { ReplicaHost } from './replica-host.ts';
import type { ReplicaNote } from './replica-note.ts';
import type { ReplicaPorts } from './replica-ports.ts';

export type ReplicaIs = Omit<ReplicaNote, 'port' | 'run'>;

export const replicaProcessId = (replica: string): string => `replica-${replica}`;

/** One replica of this node: its folder, its daemon if one runs, and its state on the board. */
export class ReplicaEntry {
  readonly is: ReplicaIs;
  readonly store: ReplicaStore;
  readonly line: DaemonLine;
  readonly #ports: ReplicaPorts;
  /** Port of the process that runs or ran last. */
  port = 0;
  run = '';
  /** The run whose server is known to listen. */
  listeningRun = '';
  /** The generation that is served or will be served. */
  generation = 0;
  state: Instance['state'] = 'starting';
  #error: InstanceError | undefined;
  #facts: ReplicaFacts | undefined;

  constructor(ports: ReplicaPorts, is: ReplicaIs, io: 'direct' | 'buffered') {
    this.#ports = ports;
    this.is = is;
    const { keeper, places, paths, files, images, clock } = ports;
    const log = ports.log.child({ replica: is.name });
    const directory = paths.here(is.directory, 'the directory of a replica');
    this.line = new DaemonLine({
      mayRun: () => keeper.mayRun(replicaProcessId(is.name)),
      connect: (signal) => ports.connectDaemon(places.replica(is.name).monitorPath, signal),
      log,
    });
    const blocks = qemuBlocks({
      directory,
      daemon: () => this.line.present(),
      images,
      files,
      io,
      connect: (name, o) => ports.connectExport(this.port, name, o.signal),
    });
    const identity = { volume: is.volume, volumeUid: is.volumeUid, replica: is.name };
    this.store = replicaStore({ directory, identity, files, blocks, clock, log });
  }

  get note(): ReplicaNote {
    return { ...this.is, port: this.port, run: this.run };
  }

  /** The export name that an engine of this generation uses. */
  async headName(generation: number): Promise<string> {
    const { volumeUid, name: replica } = this.is;
    return exportName(await this.#ports.exportKey(), headExport({ volumeUid, replica, generation }));
  }

  async serve(generation: number, o: Call): Promise<void> {
    await this.store.serve({ generation, name: await this.headName(generation) }, o);
  }

  /** Reads the record and the files again. If they cannot be read, the last known state is kept. Never rejects. */
  async refresh(o: Call): Promise<void> {
    try {
      const [record, usage] = [await this.store.record(o), await this.store.usage(o)];
      this.#facts = factsOf(record, usage);
    } catch (error) {
      this.#ports.log.debug({ replica: this.is.name, err: error }, 'the facts of a replica cannot be read now');
    }
  }

  tell(state: Instance['state'], error?: unknown): Instance {
    this.state = state;
    this.#error = error === undefined ? undefined : instanceError(error);
    const instance = this.instance();
    this.#ports.board.set(instance);
    return instance;
  }

  /** Updates the board with the known state. */
  retell(): void {
    this.#ports.board.set(this.instance());
  }

  instance(): Instance {
    const { name, volume } = this.is;
    return {
      kind: 'replica',
      name,
      volume,
      generation: this.generation,
      state: this.state,
      uuid: this.run,
      ...(this.#error === undefined ? {} : { error: this.#error }),
      ...(this.state === 'running' ? { port: this.port } : {}),
      ...(this.#facts === undefined ? {} : { replica: this.#facts }),
    };
  }
}

/** An error in the form that is shown. */
export function instanceError(error: unknown): InstanceError {
  const code = isAppError(error) ? error.code : 'INTERNAL';
  const nextStep = isAppError(error) ? error.nextStep : undefined;
  return { code, message: describeError(error), ...(nextStep === undefined ? {} : { nextStep }) };
}

/** Its daemon has ended and nothing serves it; or only our connection to it has ended, for a moment. */
export function notConnected({ ports }: Pick<ReplicaHost, 'ports'>, { is, line }: ReplicaEntry): AppError {
  if (line.present() === 'none') return notRunning(is.name);
  ports.log.debug({ replica: is.name }, 'a replica was asked for while its daemon is not connected');
  const message = `the storage daemon of replica ${is.name} is not connected`;
  return new AppError('HOST_UNREACHABLE', message, { retry: 'soon' });
}

export const notRunning = (replica: string) =>
  hostError('INSTANCE_NOT_FOUND', `replica ${replica} does not run on this node`);
