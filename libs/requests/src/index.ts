export { type RequestControllersOptions, runRequestControllers } from './run-request-controllers.ts';
export { builtInPlugins } from './server-status/built-in-plugins.ts';
export type { ServerFacts } from './server-status/server-status-reconciler.ts';
export { serverVersion } from './server-status/server-version.ts';
