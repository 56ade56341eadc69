import { systemRandom } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { afterAll, beforeAll } from 'vitest';

/** What a conformance run needs: an API to try, and a namespace in it to try it in. */
export interface KubeApiUnderTest {
  api: KubeApi;
  /** Exists, and is this run's own. */
  namespace: string;
  /** True when owners' dependents are collected (a real API server alone has no garbage collector). */
  garbageCollected?: boolean;
  /** Makes the server forget its history, where that can be done. */
  compact?: () => Promise<void> | void;
  close(): Promise<void>;
}

export type SetUp = () => Promise<KubeApiUnderTest>;

/** The API under test as the tests see it: usable once the first hook has run. */
export interface ConformanceSubject {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly garbageCollected: boolean;
  readonly compact: (() => Promise<void> | void) | undefined;
  /** A name that no other test uses. */
  name(what: string): string;
}

/** Generous: a real API server on a busy machine. */
export const hookTimeoutMs = 60_000;

/** Sets up before the tests of the surrounding `describe`, closes after them. */
export function conformanceSubject(setUp: SetUp): ConformanceSubject {
  let under: KubeApiUnderTest | undefined;
  beforeAll(async () => {
    under = await setUp();
  }, hookTimeoutMs);
  afterAll(async () => {
    await under?.close();
  }, hookTimeoutMs);
  const ready = (): KubeApiUnderTest => {
    if (under === undefined) throw new Error('the API under test is used before it was set up');
    return under;
  };
  return {
    get api() {
      return ready().api;
    },
    get namespace() {
      return ready().namespace;
    },
    get garbageCollected() {
      return ready().garbageCollected === true;
    },
    get compact() {
      return ready().compact;
    },
    name: (what) => `${what}-${systemRandom.suffix(8)}`,
  };
}
