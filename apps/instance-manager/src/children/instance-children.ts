import { AppError } from '@lateen/errors';
import { InFlight } from '@lateen/grpc';
import type { KeeperState } from '@lateen/instance-host';
import type { ChildNote } from './child-note.ts';
import { type ChildKind, type ChildPorts, childLimits } from './child-ports.ts';
import { InstanceChild } from './instance-child.ts';

/**
 * The instances of one kind that have processes of their own on this node. Calls on one instance run one after the other; {@link adopt} takes over
 * processes that outlived an earlier program.
 */
export class InstanceChildren {
  readonly #ports: ChildPorts;
  readonly #of: ChildKind;
  readonly #stopping: AbortSignal;
  readonly #byName = new Map<string, InstanceChild>();
  readonly #turns = new InFlight();

  /** @param stopping ends the following of processes; the processes continue */
  constructor(ports: ChildPorts, of: ChildKind, stopping: AbortSignal) {
    this.#ports = ports;
    this.#of = of;
    this.#stopping = stopping;
  }

  get(name: string): InstanceChild | undefined {
    return this.#byName.get(name);
  }

  all(): readonly InstanceChild[] {
    return [...this.#byName.values()];
  }

  /** Adds another start; nothing is started yet. */
  add(of: Omit<ChildNote, 'run' | 'ended'>): InstanceChild {
    const child = new InstanceChild(this.#ports, this.#of, { ...of, run: this.#ports.random.uuid() });
    this.#byName.set(of.name, child);
    return child;
  }

  /** Shows what it reports from now on. */
  follow(child: InstanceChild): void {
    child.follow(this.#stopping);
  }

  /** Ends its process and forgets the instance. */
  async forget(child: InstanceChild, signal: AbortSignal): Promise<void> {
    await child.forget(signal);
    if (this.#byName.get(child.note.name) === child) this.#byName.delete(child.note.name);
  }

  /** @throws AppError `ABORTED` when another call on it takes too long */
  async inTurn<T>(name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const keys = [{ id: `${this.#of.kind} ${name}`, mode: 'exclusive' as const }];
    const { clock } = this.#ports;
    using _turn = await this.#turns.enterWithin(keys, { waitMs: childLimits.turnMs, clock, signal });
    return await work();
  }

  /** Handles an instance whose process has ended by itself. */
  hasEnded(child: InstanceChild, reason?: string): Promise<void> {
    const { endedCode, kind, nextStep } = this.#of;
    const why = reason === undefined ? '' : `: ${reason}`;
    return child.failed(
      new AppError(endedCode, `the process of ${kind} ${child.note.name} has ended${why}`, { nextStep }),
    );
  }

  /** Takes over running instances, and the results of ended ones that have not been reported yet. */
  async adopt(signal: AbortSignal): Promise<void> {
    const { notes, clock, log } = this.#ports;
    await Promise.all(
      (await notes.readAll()).map(async (note) => {
        if (note.ended !== undefined && clock.now() - note.ended.atMs > childLimits.rememberedMs)
          return await notes.remove(note.name);
        const child = new InstanceChild(this.#ports, this.#of, note);
        this.#byName.set(note.name, child);
        if (note.ended !== undefined) return void child.remember(note.ended.instance);
        child.tell('starting');
        if (!(await child.isAlive(signal))) return await this.hasEnded(child);
        this.follow(child);
        await child.answered(signal).catch((error: unknown) => {
          signal.throwIfAborted();
          log.warn({ [this.#of.kind]: note.name, err: error }, 'a process that runs does not answer');
        });
      }),
    );
  }

  /** The result of a keeper's pass: instances whose processes have ended. Never rejects. */
  async noticed({ processes }: KeeperState, signal: AbortSignal): Promise<void> {
    const byId = new Map(processes.map((one) => [one.id, one]));
    for (const child of this.all()) {
      const kept = byId.get(child.processId);
      if (!child.isThere || kept?.run !== child.note.run || kept.health !== 'gone') continue;
      await this.inTurn(child.note.name, signal, async () => {
        if (child.isThere) await this.hasEnded(child, kept.reason);
      }).catch((error: unknown) => {
        if (!signal.aborted)
          this.#ports.log.warn(
            { [this.#of.kind]: child.note.name, err: error },
            'the end of a process cannot be recorded',
          );
      });
    }
  }
}
