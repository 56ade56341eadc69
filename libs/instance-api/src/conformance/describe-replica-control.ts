import type { ReplicaControl } from '@lateen/block-engine';
import { afterAll, beforeAll, beforeEach, describe } from 'vitest';
import { controlCalls } from './calls.ts';
import { describePort, type Subject } from './describe-port.ts';
import { scriptedControl } from './scripted-host.ts';

/** Makes `control` reachable in some way. */
export type Reach = (control: ReplicaControl) => Promise<{ control: ReplicaControl; end(): Promise<void> }>;

/** A replica behaves the same through `reach` as without it. */
export function describeReplicaControl(name: string, reach: Reach): void {
  describe(`ReplicaControl: ${name}`, () => {
    const scripted = scriptedControl();
    const subject: Subject<ReplicaControl> = { scripted, port: scripted, samples: controlCalls };
    let end = async (): Promise<void> => {};
    beforeAll(async () => {
      const reached = await reach(scripted);
      subject.port = reached.control;
      end = reached.end;
    });
    beforeEach(() => scripted.forget());
    afterAll(() => end());
    describePort(subject);
  });
}
