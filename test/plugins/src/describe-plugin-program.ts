import { afterAll, beforeAll, describe } from 'vitest';
import { type PluginWorld, pluginWorld } from './plugin-world.ts';
import { describeActions } from './suite/describe-actions.ts';
import { describeFaults } from './suite/describe-faults.ts';
import { describeOperations } from './suite/describe-operations.ts';
import { describeStorage } from './suite/describe-storage.ts';

/**
 * What the host guarantees for every plugin program that behaves as test/plugins/README.md says, with real processes.
 * @param place puts the program into a folder, or names an executable
 */
export function describePluginProgram(name: string, place: string | ((plugins: string) => Promise<unknown>)): void {
  describe(`plugin program in ${name}`, () => {
    let made: PluginWorld | undefined;
    const world = (): PluginWorld => {
      if (made === undefined) throw new Error('the host was not started');
      return made;
    };
    beforeAll(async () => {
      const environment = {
        ...process.env,
        FIXTURE_SECRET: 'secret',
        AWS_SHARED_CREDENTIALS_FILE: '/credentials/cloud',
      };
      made = await pluginWorld(place, { environment });
    });
    afterAll(async () => {
      await made?.[Symbol.asyncDispose]();
    });
    describeActions(world);
    describeOperations(world);
    describeFaults(world, place);
    describeStorage(world);
  });
}
