import { systemRandom } from '@lateen/kernel';
import type { KubeApi } from '@lateen/kube';
import { afterAll, beforeAll } from 'vitest';

/** What a conformance run needs: an API under test, and a namespace in it. */
export interface KubeApiUnderTest {
  api: KubeApi;
  /** Exists, and belongs to this run only. */
  namespace: string;
  /** True when dependents of owners are collected (a real API server alone has no garbage collector). */
  garbageCollected?: boolean;
  /** Makes the server drop its history, if possible. */
  compact?: () => Promise<void> | void;
  close(): Promise<void>;
}

export type SetUp = () => Promise<KubeApiUnderTest>;

/** The API under test for the tests: usable once the first hook has run. */
export interface ConformanceSubject {
  readonly api: KubeApi;
  readonly namespace: string;
  readonly garbageCollected: boolean;
  readonly compact: (() => Promise<void> | void) | undefined;
  /** A name that no other test uses. */
  name(what: string): string;
}

/** Long, for a real API server on a busy machine. */
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
