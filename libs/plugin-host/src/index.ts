export type { PluginStoreLocation } from './adapters/store-location.ts';
export type { PluginProblem } from './discover/find-programs.ts';
export type { BuiltInPlugin } from './discover/register-offers.ts';
export { type PluginLimits, pluginLimitsDefault } from './limits.ts';
export type { PluginActions } from './plugin-actions.ts';
export { type PluginHost, type PluginHostOptions, pluginHost } from './plugin-host.ts';
