import { AppError } from '@lateen/errors';
import { InFlight } from '@lateen/grpc';
import type { KeeperState } from '@lateen/instance-host';
import type { ChildNote } from './child-note.ts';
import { type ChildKind, type ChildPorts, childLimits } from './child-ports.ts';
import { InstanceChild } from './instance-child.ts';

/** The instances of one kind that have processes of their own on this node. One call on an instance at a time; what outlives this program is taken over by {@link adopt}. */
export class InstanceChildren {
  readonly #ports: ChildPorts;
  readonly #of: ChildKind;
  readonly #stopping: AbortSignal;
  readonly #byName = new Map<string, InstanceChild>();
  readonly #turns = new InFlight();

  /** @param stopping ends what follows the processes; they go on */
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

  /** Another start; nothing is started yet. */
  add(of: Omit<ChildNote, 'run' | 'ended'>): InstanceChild {
    const child = new InstanceChild(this.#ports, this.#of, { ...of, run: this.#ports.random.uuid() });
    this.#byName.set(of.name, child);
    return child;
  }

  /** What it says is shown from now on. */
  follow(child: InstanceChild): void {
    child.follow(this.#stopping);
  }

  /** Its process ends, and nothing is known of it any more. */
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

  /** The end of one whose process has ended by itself. */
  hasEnded(child: InstanceChild, reason?: string): Promise<void> {
    const { endedCode, kind, nextStep } = this.#of;
    const why = reason === undefined ? '' : `: ${reason}`;
    return child.failed(
      new AppError(endedCode, `the process of ${kind} ${child.note.name} has ended${why}`, { nextStep }),
    );
  }

  /** Takes over what runs, and what is still to be told of those that have ended. */
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

  /** What a pass of the keeper has found: those whose processes have ended. Never rejects. */
  async noticed({ processes }: KeeperState, signal: AbortSignal): Promise<void> {
    const byId = new Map(processes.map((one) => [one.id, one]));
    for (const child of this.all()) {
      const kept = byId.get(child.processId);
      if (!child.isThere || kept?.run !== child.note.run || kept.health !== 'gone') continue;
      await this.inTurn(child.note.name, signal, async () => {
        if (child.isThere) await this.hasEnded(child, kept.reason);
      }).catch((error: unknown) => {
        if (!signal.aborted)
          this.#ports.log.warn({ [this.#of.kind]: child.note.name, err: error }, 'an end cannot be noted');
      });
    }
  }
}
