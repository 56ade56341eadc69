import { type Clock, silentLogger } from '@lateen/kernel';
import type { Host } from '../host/host.ts';
import { openVolumes } from '../open-volumes.ts';
import type { VolumeDeps } from '../volume-deps.ts';
import { fakeCommands } from './fake-commands.ts';
import { FakeDisk } from './fake-disk.ts';
import { fakeFiles } from './fake-files.ts';

/** A clock that stands still, because nothing here waits. */
const stillClock: Clock = {
  now: () => 1_900_000_000_000,
  monotonicMs: () => 0,
  sleep: async () => {},
  deadline: () => new AbortController().signal,
};

export const neverAborts = new AbortController().signal;

/** A fake machine and the driver's process on it; `restart` is what happens after a kill. */
export class FakeNode {
  readonly disk = new FakeDisk();
  readonly host: Host = {
    run: fakeCommands(this.disk),
    files: fakeFiles(this.disk),
    log: silentLogger,
    clock: stillClock,
  };

  start(host: Host = this.host): Promise<VolumeDeps> {
    return openVolumes({ stateDirectory: '/state', nodeId: 'node-1', host }, neverAborts);
  }
}
