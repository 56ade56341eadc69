import { ensureParts, silentProgress } from '@lateen/cluster';
import { describePluginProgram, typescriptProgram } from '@lateen/test-plugins';

// Built before all files of this tier.
const { 'plugin-program': go = '' } = await ensureParts(['plugin-program'], silentProgress);

describePluginProgram('Go', go);
describePluginProgram('TypeScript', typescriptProgram);
