export { describePluginProgram } from './describe-plugin-program.ts';
export { fixturePlugin } from './fixture-plugin.ts';
export { markProgram, strangeProgram, typescriptProgram } from './node-program.ts';
export { type PluginWorld, pluginWorld } from './plugin-world.ts';
export { aBackupContext, anItem, backupAction } from './suite/items.ts';
