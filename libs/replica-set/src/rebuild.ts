import type { ReplicaLink } from '@lateen/block-engine';
import { AppError, isAppError } from '@lateen/errors';
import { orAborted } from '@lateen/kernel';
import type { Core } from './core.ts';
import { type FailureCause, failureCause } from './failure.ts';
import type { Member } from './member.ts';
import type { Pause } from './pause.ts';

/** Adds, relinks and drops replicas while the engine runs. */
export class Rebuild {
  readonly #core: Core;
  readonly #pause: Pause;

  constructor(core: Core, pause: Pause) {
    this.#core = core;
    this.#pause = pause;
  }

  addWriting(name: string, link: ReplicaLink, widenBytes: number): void {
    const core = this.#core;
    this.#pause.assertOn('a replica is added');
    if (core.comparing !== undefined)
      throw new AppError('COMPARISON_UNDER_WAY', 'a replica is added when all others are equal', { retry: 'later' });
    if (!Number.isSafeInteger(widenBytes) || widenBytes < 1) throw new RangeError(`no unit: ${widenBytes} bytes`);
    assertSize(name, link, core.sizeBytes);
    if (core.members.some((member) => member.name === name) || core.hold.failures.some((f) => f.replica === name))
      throw new AppError('REPLICA_EXISTS', `replica ${name} is in the set, or its failure is not recorded yet`);
    core.widenBytes = Math.max(widenBytes, core.widenBytes ?? 1);
    core.add({ name, mode: 'WO', link, isLocal: false });
    core.changes.tell({ kind: 'added', replica: name });
  }

  async relink(name: string, open: () => Promise<ReplicaLink>): Promise<void> {
    const core = this.#core;
    this.#pause.assertOn('a link is replaced');
    const member = this.#member(name);
    member.isRelinking = true;
    let isFlushed = false;
    try {
      // The replica's process may be restarted before the new link exists: acknowledged writes must not be lost by that.
      await orAborted(member.link.flush(), core.overSignal);
      isFlushed = true;
      await member.link[Symbol.asyncDispose]();
      const link = await orAborted(open(), core.overSignal);
      if (member.isGone) return this.#closeLate(name, link);
      assertSize(name, link, core.sizeBytes);
      member.link = link;
      member.isRelinking = false;
      core.listen(member);
    } catch (error) {
      const asked = isFlushed ? 'none' : 'flush';
      const { kind } = failureCause(error);
      if (core.parts.verdictOf(member, core.members, { kind, asked }).fate === 'refuses') {
        member.isRelinking = false;
        throw error;
      }
      core.fail(member, isAppError(error, 'LINK_REFUSED') ? failureCause(error) : notBack(error));
      throw error;
    }
  }

  async promote(name: string, recordHealthy: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const core = this.#core;
    this.#pause.assertOn('a replica is promoted');
    const member = this.#member(name);
    if (member.mode === 'RW') return;
    const ends = AbortSignal.any([core.overSignal, core.options.clock.deadline(core.limits.recordMs)]);
    const record = orAborted(recordHealthy(ends), ends);
    member.healthRecord = record;
    try {
      await record;
    } catch (error) {
      // It is unknown whether the replica was recorded as healthy, so a failure has to be recorded after it.
      core.fail(member, { kind: 'not-promoted', message: failureCause(error).message });
      throw error;
    }
    if (member.isGone || core.over !== undefined) throw core.over ?? noSuch(name);
    member.mode = 'RW';
    core.setMembers([...core.members]);
    core.changes.tell({ kind: 'promoted', replica: name });
  }

  async drop(name: string, cause: FailureCause): Promise<void> {
    const core = this.#core;
    if (core.over !== undefined) throw core.over;
    const member = this.#member(name);
    if (member.mode === 'RW' && core.members.filter(({ mode }) => mode === 'RW').length === 1)
      throw new AppError('LAST_REPLICA', `${name} is the last replica that can be read`);
    core.fail(member, cause);
    await core.hold.whenRecorded(member);
  }

  #member(name: string): Member {
    const member = this.#core.members.find((each) => each.name === name);
    if (member === undefined) throw noSuch(name);
    return member;
  }

  #closeLate(name: string, link: ReplicaLink): never {
    this.#core.closeLink(link);
    throw noSuch(name);
  }
}

export function assertSize(name: string, link: ReplicaLink, sizeBytes: number): void {
  if (link.sizeBytes >= BigInt(sizeBytes)) return;
  throw new AppError('WRONG_SIZE', `replica ${name} has ${link.sizeBytes} bytes, the volume ${sizeBytes}`);
}

const notBack = (error: unknown): FailureCause => ({ kind: 'not-back', message: failureCause(error).message });

const noSuch = (name: string) => new AppError('NO_SUCH_REPLICA', `replica ${name} is not in the set any more`);
