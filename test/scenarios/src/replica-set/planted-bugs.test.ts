import type { BlockTarget, ReplicaLink } from '@lateen/block-engine';
import { isAppError } from '@lateen/errors';
import {
  Hold,
  Lease,
  OverlapLocks,
  type ReplicaSet,
  type ReplicaSetOptions,
  type ReplicaSetParts,
  startReplicaSet,
  verdictOf,
} from '@lateen/replica-set';
import { describe, expect, it } from 'vitest';
import { simulateVolume } from './simulate-volume.ts';
import type { PlantedBug } from './volume.ts';

/*
 * Proves that the simulation finds defects. Each of these is planted in the engine, or between it and its replicas, and has to be found
 * within a bounded number of seeds, by the rule that covers it.
 */

const seedsMax = 400;

const withParts = (parts: Partial<ReplicaSetParts>): PlantedBug => ({ start: (o) => startReplicaSet(o, parts) });

/** The engine with wrong options. */
const withOptions = (change: (o: ReplicaSetOptions) => Partial<ReplicaSetOptions>): PlantedBug => ({
  start: (o) => startReplicaSet({ ...o, ...change(o) }),
});

/** The engine with defective links. */
const withLinks = (change: (link: ReplicaLink) => Partial<ReplicaLink>): PlantedBug =>
  withOptions(({ replicas }) => ({
    replicas: replicas.map((replica) => ({ ...replica, link: changed(replica.link, change(replica.link)) })),
  }));

/** The engine with a defective flush. */
const withFlush = (flush: (target: BlockTarget, set: ReplicaSet) => Promise<void>): PlantedBug => ({
  start: (o) => {
    const set = startReplicaSet(o);
    const target = changed(set.target, { flush: () => flush(set.target, set) });
    return changed(set, { target });
  },
});

function changed<T extends object>(subject: T, change: Partial<T>): T {
  return new Proxy(subject, {
    get: (_, key) => {
      const value = key in change ? change[key as keyof T] : subject[key as keyof T];
      return typeof value === 'function' && !(key in change) ? value.bind(subject) : value;
    },
  });
}

class NeverHolds extends Hold {
  override get isHolding(): boolean {
    return false;
  }
}

class LetsAllPass extends OverlapLocks {
  override acquire(_start: number, _end: number, granted: () => void) {
    const free = super.acquire(-1, -1, () => {});
    granted();
    return free;
  }
}

class DoesNotWait extends OverlapLocks {
  override afterUnderWay(_start: number, _end: number, then: () => void): void {
    then();
  }
}

class NeverEnds extends Lease {
  override whenHeld(then: () => void): void {
    then();
  }
}

const firstByName: ReplicaSetParts['pickReader'] = (members) =>
  members.filter(({ mode }) => mode === 'RW').sort((a, b) => (a.name < b.name ? -1 : 1))[0];

const bugs: Readonly<Record<string, { bug: PlantedBug; found: RegExp }>> = {
  'acknowledges before the record': {
    bug: withParts({ hold: (ports) => new NeverHolds(ports) }),
    found: /was acknowledged while a failure is unrecorded/,
  },
  'forgets a flush that was held': {
    bug: withFlush(async (target, set) => {
      const before = set.state.modes.size;
      await target.flush();
      if (set.state.modes.size < before) await new Promise(() => {});
    }),
    found: /wait for ever/,
  },
  'answers a flush that no replica has carried out': {
    bug: withFlush(async () => {}),
    found: /older than what was flushed/,
  },
  'reads from a replica that is being rebuilt': {
    bug: withParts({ pickReader: (members) => members.at(-1) }),
    found: /no order explains/,
  },
  'lets overlapping writes pass': {
    bug: withParts({ locks: () => new LetsAllPass() }),
    found: /two changes of .* at once/,
  },
  'fills a write up without the lock': {
    bug: withParts({ lockedArea: (area) => area }),
    found: /no order explains|two changes of .* at once/,
  },
  'does not fill writes up while a replica is being rebuilt': {
    bug: withParts({ wholeUnits: (area) => area }),
    found: /no order explains|acknowledged .* and r\d+ has|differ while nothing/,
  },
  'answers reads after its lease': {
    bug: withParts({ lease: (o) => new NeverEnds(o) }),
    found: /no order explains/,
  },
  'gives out what only one replica has': {
    bug: withParts({ locks: () => new DoesNotWait() }),
    found: /no order explains/,
  },
  'promotes a replica too early': {
    bug: { promotesEarly: true },
    found: /no order explains|differ while nothing/,
  },
  'continues after GENERATION_OVER': {
    bug: withOptions(({ recordFailure }) => ({
      recordFailure: (failure, signal) =>
        recordFailure(failure, signal).catch((error) => {
          if (!isAppError(error, 'GENERATION_OVER')) throw error;
        }),
    })),
    found: /no order explains/,
  },
  'refuses a write that another replica has': {
    bug: withParts({
      verdictOf: (failing, members, { kind, asked }) =>
        kind === 'no-room' && asked === 'change'
          ? { fate: 'refuses', unreadableLeave: true }
          : verdictOf(failing, members, { kind, asked }),
    }),
    found: /a write failed and the engine continues with r\d+ r\d+/,
  },
  'continues with a replica that has more than the one that had no room': {
    bug: withParts({ verdictOf: (...asked) => ({ ...verdictOf(...asked), unreadableLeave: false }) }),
    found: /no order explains|differ while nothing|continues with r\d+ r\d+/,
  },
  'takes a lost connection for an answer': {
    bug: withLinks((link) => ({ write: (at, data, o) => link.write(at, data, o).catch(() => {}) })),
    found: /acknowledged .* and r\d+ has/,
  },
  'sends a trim as a discard': {
    bug: withLinks((link) => ({
      zero: (at, length, o) => (o?.unmap ? link.trim(at, length) : link.zero(at, length, o)),
    })),
    found: /was asked to discard/,
  },
  'reads from one replica after an unclean end, and from another when that fails': {
    bug: { start: ({ comparison: _, ...o }) => startReplicaSet(o, { pickReader: firstByName }) },
    found: /no order explains/,
  },
  'takes replicas for equal after an unclean end': {
    bug: { start: ({ comparison: _, ...o }) => startReplicaSet(o) },
    found: /no order explains|differ while nothing/,
  },
};

describe('an engine that', () => {
  it.each(Object.entries(bugs))('%s is detected', async (_, { bug, found }) => {
    const seen: string[] = [];
    for (let seed = 1; seed <= seedsMax; seed++) {
      seen.push(...(await simulateVolume(seed, bug)).violations);
      if (seen.some((violation) => found.test(violation))) return;
    }
    expect(seen).toContainEqual(expect.stringMatching(found));
  });
});
