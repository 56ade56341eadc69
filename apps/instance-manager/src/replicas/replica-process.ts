import { rm } from 'node:fs/promises';
import { AppError, isAppError } from '@lateen/errors';
import { type KeptProcess, nextPort } from '@lateen/instance-host';
import { daemonArguments, daemonEnvironment } from '@lateen/qemu-storage';
import { type ReplicaEntry, replicaProcessId } from './replica-entry.ts';
import { type ReplicaPorts, replicaLimits } from './replica-ports.ts';

const pollMs = 50;

/** Starts, finds and ends the storage daemons of replicas. */
export class ReplicaProcesses {
  readonly #ports: ReplicaPorts;
  /** Ports in use, by replica. */
  readonly #portsTaken = new Map<string, number>();
  #lastPort: number | undefined;

  constructor(ports: ReplicaPorts) {
    this.#ports = ports;
  }

  /** A daemon that was found running keeps its port. */
  holdPort(replica: string, port: number): void {
    this.#portsTaken.set(replica, port);
  }

  async find(entry: ReplicaEntry, signal: AbortSignal): Promise<KeptProcess | undefined> {
    const id = replicaProcessId(entry.is.name);
    const { processes } = await this.#ports.keeper.look(signal);
    return processes.find((one) => one.id === id);
  }

  /**
   * Makes sure that the daemon of a replica runs, is connected, and listens. True when it was started by this call.
   * @throws AppError `NO_PORT`, and the last output of the process
   */
  async ensure(entry: ReplicaEntry, signal: AbortSignal): Promise<boolean> {
    const kept = await this.find(entry, signal);
    if (kept !== undefined && kept.health !== 'gone' && kept.run === entry.run) {
      // The program that started it may have died before the daemon's server listened.
      if (entry.listeningRun === entry.run) await entry.line.connect(signal);
      else await this.adopt(entry, signal);
      return false;
    }
    entry.line.gone();
    await this.#start(entry, signal);
    return true;
  }

  async #start(entry: ReplicaEntry, signal: AbortSignal): Promise<void> {
    const { keeper, notes, places, files, program, random, clock } = this.#ports;
    const { name, volume } = entry.is;
    const at = places.replica(name);
    await files.makeDirectory(at.directory);
    entry.run = random.uuid();
    this.#takePort(entry);
    await notes.write(entry.note);
    const id = replicaProcessId(name);
    const argv = [program, ...daemonArguments(at)];
    keeper.want({ id, kind: 'replica', run: entry.run, argv, env: daemonEnvironment, volume });
    entry.line.expectStart();
    for (;;) {
      const kept = await this.find(entry, signal);
      if (kept?.run === entry.run && kept.health === 'gone') {
        entry.line.gone();
        throw new AppError('STORAGE_DAEMON_ENDED', kept.reason ?? `the storage daemon of ${name} has ended at once`, {
          nextStep: `See ${id}.log in ${places.logs}.`,
        });
      }
      if (kept?.run === entry.run && kept.health !== 'unsure') break;
      await clock.sleep(pollMs, signal);
    }
    await entry.line.connect(signal);
    await this.#listen(entry, signal);
  }

  /** A port that another program on the node uses is unknown here: the daemon reports it, and the next port is tried. */
  async #listen(entry: ReplicaEntry, signal: AbortSignal): Promise<void> {
    const { address, notes } = this.#ports;
    const daemon = await entry.line.connect(signal);
    for (let tried = 1; ; tried++) {
      try {
        await daemon.nbdServerStart({ host: address, port: entry.port }, { signal });
        entry.listeningRun = entry.run;
        return;
      } catch (error) {
        if (!isAppError(error, 'QMP_COMMAND_FAILED') || tried >= replicaLimits.portsTried) throw error;
        this.#takePort(entry);
        await notes.write(entry.note);
      }
    }
  }

  #takePort(entry: ReplicaEntry): void {
    const { name } = entry.is;
    const taken = new Set(
      [...this.#portsTaken].flatMap(([replica, port]) => (replica === name ? [entry.port] : [port])),
    );
    const port = nextPort(taken, this.#lastPort, this.#ports.portRange);
    this.#lastPort = port;
    this.#portsTaken.set(name, port);
    entry.port = port;
  }

  /** Resolves when its process has ended. Does nothing when there is none. @throws when it takes too long; the next call continues */
  async end(entry: ReplicaEntry, signal: AbortSignal): Promise<void> {
    const { keeper, clock, places, notes } = this.#ports;
    const { name } = entry.is;
    const id = replicaProcessId(name);
    await entry.line.connected?.quit({ signal }).catch(() => {});
    keeper.unwant(id);
    const late = AbortSignal.any([signal, clock.deadline(replicaLimits.endMs)]);
    while ((await this.find(entry, late)) !== undefined) await clock.sleep(pollMs, late);
    entry.line.gone();
    this.#portsTaken.delete(name);
    await notes.remove(name);
    await rm(places.replica(name).directory, { recursive: true, force: true });
  }

  /** A daemon from an earlier program: its server may not listen yet, if that program died just then. */
  async adopt(entry: ReplicaEntry, signal: AbortSignal): Promise<void> {
    const daemon = await entry.line.connect(signal);
    this.holdPort(entry.is.name, entry.port);
    if ((await daemon.queryBlockExports({ signal })).length > 0) {
      entry.listeningRun = entry.run;
      return;
    }
    await daemon.nbdServerStop({ signal }).catch((error: unknown) => {
      // No server was started yet.
      if (!isAppError(error, 'QMP_COMMAND_FAILED')) throw error;
    });
    await this.#listen(entry, signal);
  }
}
