export { whoIsBehind } from './compare-versions.ts';
export { askServerStatus } from './server-status.ts';
