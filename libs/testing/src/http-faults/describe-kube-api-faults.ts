import { describe } from 'vitest';
import { describeAnswerFaults } from './describe-answer-faults.ts';
import { describeCredentialFaults } from './describe-credential-faults.ts';
import { describeRetries } from './describe-retries.ts';
import { describeWatchFaults } from './describe-watch-faults.ts';
import { describeWire } from './describe-wire.ts';
import type { MakeFaultApi } from './fault-harness.ts';

/**
 * The fault tests of every KubeApi adapter over HTTP, for failures of the network, the server or anything between:
 * run against a real HTTPS server on loopback with a fake clock.
 */
export function describeKubeApiFaults(name: string, makeApi: MakeFaultApi): void {
  describe(`${name} against a faulty server`, () => {
    describeRetries(makeApi);
    describeAnswerFaults(makeApi);
    describeWatchFaults(makeApi);
    describeCredentialFaults(makeApi);
    describeWire(makeApi);
  });
}
