import { describePluginProgram, typescriptProgram } from '@lateen/test-plugins';

describePluginProgram('TypeScript', typescriptProgram);
