import { hostError } from '@lateen/block-engine';
import { AppError, describeError } from '@lateen/errors';
import { type Logger, orAborted, settledOrAborted } from '@lateen/kernel';
import { type AskPorts, AskProcesses } from './ask-processes.ts';
import type { Machine } from './machine.ts';
import { planProcesses } from './plan-processes.ts';
import type { ProcessStep, SeenProcess, WantedProcess } from './process-plan.ts';
import { isProcessId, type ProcessRecord } from './process-record.ts';
import { recognise, type TableRow, unknownProcesses } from './recognise.ts';
import type { RecordFiles } from './record-files.ts';

export interface ProcessKeeperPorts extends AskPorts {
  machine: Machine;
  records: RecordFiles;
  log: Logger;
}

export interface KeptProcess extends SeenProcess {
  readonly argv: readonly string[];
  /** Why it does not run, or what it waits for. */
  readonly reason?: string;
}

export interface KeeperState {
  readonly processes: readonly KeptProcess[];
  /** Processes that we started once and that have no record: they are reported, never ended. */
  readonly unknown: readonly TableRow[];
}

/** If a program died before it recorded a start, the started process appears within this time, or never. */
const appearsWithinMs = 2_000;
/** Adopted processes, which we have not started ourselves, have to be polled for their end. */
const lookEveryMs = 1_000;

/**
 * Keeps the wanted processes running and ends all other processes of ours, across restarts of the program: a process with a record is wanted until it
 * is unwanted explicitly. One `pass` observes, plans and does what can be done now.
 */
export class ProcessKeeper {
  readonly #ports: ProcessKeeperPorts;
  readonly #asked: AskProcesses;
  readonly #wanted = new Map<string, WantedProcess>();
  readonly #records = new Map<string, ProcessRecord>();
  /** Runs that the last pass found ended, by id. */
  readonly #ended = new Map<string, string>();
  readonly #endingSince = new Map<string, number>();
  /** Why a start has failed, and what the last pass waited for. */
  readonly #failures = new Map<string, string>();
  readonly #waits = new Map<string, string>();
  #unreadable: readonly string[] = [];
  #openedMs = 0;
  #wake = Promise.withResolvers<void>();
  /** Callers that wait for a pass that has not begun yet. */
  #askers: PromiseWithResolvers<KeeperState>[] = [];

  private constructor(ports: ProcessKeeperPorts) {
    this.#ports = ports;
    this.#asked = new AskProcesses(ports);
  }

  /** Takes over the processes of earlier programs. */
  static async open(ports: ProcessKeeperPorts): Promise<ProcessKeeper> {
    const keeper = new ProcessKeeper(ports);
    keeper.#openedMs = ports.clock.monotonicMs();
    const { records, unreadable } = await ports.records.readAll();
    if (unreadable.length > 0) ports.log.warn({ unreadable }, 'records of processes cannot be read');
    keeper.#unreadable = unreadable;
    for (const record of records) {
      keeper.#records.set(record.id, record);
      keeper.#wanted.set(record.id, record);
    }
    return keeper;
  }

  /**
   * Wants a process; another run of the same id replaces it, once the old one has ended.
   * @throws `INVALID_ARGUMENT` for an id that is not a valid file name, `NOT_POSSIBLE_NOW` when its record cannot be read: an unknown process may
   * hold what this one would take
   */
  want(process: WantedProcess): void {
    const { id } = process;
    if (!isProcessId(id)) throw hostError('INVALID_ARGUMENT', `"${id}" is not the id of a process`);
    if (this.#unreadable.includes(id))
      throw hostError('NOT_POSSIBLE_NOW', `the record of process ${id} cannot be read`, {
        nextStep: 'End its process, remove the file, and restart the instance manager.',
      });
    this.#wanted.set(process.id, process);
    this.#wakeUp();
  }

  /** Ends the process and removes its record. Does nothing when there is none. */
  unwant(id: string): void {
    this.#wanted.delete(id);
    this.#wakeUp();
  }

  /**
   * False when no process of this id runs, so that nothing uses its files: it was never started, or its end was seen. A caller that cannot reach a
   * process that may run must not treat it as ended.
   */
  mayRun(id: string): boolean {
    const record = this.#records.get(id);
    if (record === undefined) return this.#unreadable.includes(id);
    return this.#ended.get(id) !== record.run;
  }

  /**
   * Runs passes until the signal aborts: when something is wanted or requested, and every second. A pass that fails is retried.
   * @param onPass is called with the result of each pass
   */
  async run(signal: AbortSignal, onPass: (state: KeeperState) => void = () => {}): Promise<void> {
    while (!signal.aborted) {
      const woken = this.#wake.promise;
      const askers = this.#askers;
      this.#askers = [];
      try {
        const state = await this.pass(signal);
        for (const { resolve } of askers) resolve(state);
        onPass(state);
      } catch (error) {
        for (const { reject } of askers) reject(error);
        if (!signal.aborted) this.#ports.log.warn({ err: error }, 'the processes of the node could not be looked at');
      }
      await settledOrAborted(woken, AbortSignal.any([signal, this.#ports.clock.deadline(lookEveryMs)]));
    }
    for (const { reject } of this.#askers) reject(signal.reason);
  }

  /**
   * The result of a pass that begins after this call: processes wanted before have been started or asked to end. Only while {@link run} runs. @throws
   * the error of that pass; the signal's reason on abort
   */
  async look(signal: AbortSignal): Promise<KeeperState> {
    const asker = Promise.withResolvers<KeeperState>();
    this.#askers.push(asker);
    this.#wakeUp();
    return await orAborted(asker.promise, signal);
  }

  /** Never two at a time: while {@link run} runs, callers use {@link look}. */
  async pass(signal: AbortSignal): Promise<KeeperState> {
    let table = await this.#ports.machine.table();
    const seen = await this.#look(signal, table);
    this.#waits.clear();
    const steps = planProcesses([...this.#wanted.values()], seen, this.#ports.clock.monotonicMs());
    for (const step of steps) {
      signal.throwIfAborted();
      await this.#apply(step);
    }
    // Reading all of /proc takes most of a pass.
    if (steps.some((step) => step.do !== 'wait')) table = await this.#ports.machine.table();
    return {
      processes: await this.#look(signal, table),
      unknown: unknownProcesses([...this.#records.values()], table),
    };
  }

  async #look(signal: AbortSignal, table: readonly TableRow[]): Promise<readonly KeptProcess[]> {
    const bootId = await this.#ports.machine.bootId();
    return Promise.all([...this.#records.values()].map((record) => this.#seen(record, table, bootId, signal)));
  }

  async #seen(
    record: ProcessRecord,
    table: readonly TableRow[],
    bootId: string,
    signal: AbortSignal,
  ): Promise<KeptProcess> {
    const { clock, records } = this.#ports;
    const found = recognise(record, table, bootId);
    const { id, kind, run, argv, volume } = record;
    const failure = this.#failures.get(id);
    const reason = failure ?? this.#waits.get(id);
    const endingSinceMs = this.#endingSince.get(id);
    const facts = {
      ...{ id, kind, run, argv },
      ...(volume === undefined ? {} : { volume }),
      ...(reason === undefined ? {} : { reason }),
      ...(endingSinceMs === undefined ? {} : { endingSinceMs }),
    };
    if (found.state === 'lives') {
      const { pid, startTicks } = found;
      this.#ended.delete(id);
      if (record.pid === undefined) {
        this.#records.set(id, { ...record, pid, startTicks });
        await records.write({ ...record, pid, startTicks });
      }
      return { ...facts, pid, startTicks, health: await this.#asked.health(record, signal) };
    }
    const mayAppear = found.state === 'missing' && clock.monotonicMs() - this.#openedMs < appearsWithinMs;
    if (mayAppear && failure === undefined) return { ...facts, health: 'unsure' };
    this.#ended.set(id, run);
    return { ...facts, health: 'gone' };
  }

  async #apply(step: ProcessStep): Promise<void> {
    const { machine, records, clock, log } = this.#ports;
    switch (step.do) {
      case 'start':
        return await this.#start(step.process);
      case 'end':
        log.info({ process: step.id, pid: step.pid, signal: step.signal }, 'a process is asked to end');
        if (!this.#endingSince.has(step.id)) this.#endingSince.set(step.id, clock.monotonicMs());
        return await machine.signal(step.pid, step.startTicks, step.signal);
      case 'forget':
        await records.remove(step.id);
        for (const map of [this.#records, this.#ended, this.#endingSince, this.#failures]) map.delete(step.id);
        return;
      case 'wait':
        this.#waits.set(step.id, step.reason);
    }
  }

  /** The record is written first: a process without one would never be ended. */
  async #start(process: WantedProcess): Promise<void> {
    const { machine, records, log } = this.#ports;
    const { id, kind, run, argv, volume } = process;
    const bootId = await machine.bootId();
    const begun = { id, kind, run, argv, bootId, ...(volume === undefined ? {} : { volume }) };
    await records.write(begun);
    this.#records.set(id, begun);
    try {
      const started = await machine.start(process);
      if (started === undefined) throw new AppError('PROGRAM_ENDED', `${argv[0] ?? id} ended at once`);
      await records.write({ ...begun, ...started });
      this.#records.set(id, { ...begun, ...started });
      log.info({ process: id, pid: started.pid }, 'a process was started');
    } catch (error) {
      log.warn({ process: id, err: error }, 'a process could not be started');
      this.#failures.set(id, describeError(error));
    }
  }

  #wakeUp(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers();
  }
}
