export type { AttachedDevice, BlockFrontend, FrontendRequest, FrontendState, LetGo } from './block-frontend.ts';
export { chooseFrontend, type FrontendKind, frontendKind } from './choose-frontend.ts';
export type { FrontendDeps, FrontendProcess, FrontendProcesses } from './frontend-deps.ts';
export { frontendLimits } from './frontend-limits.ts';
export { kernelNbdFrontend } from './kernel-nbd/kernel-nbd-frontend.ts';
export { detachMarked } from './nbdfuse/detach-marked.ts';
export { nbdfuseFrontend } from './nbdfuse/nbdfuse-frontend.ts';
export { reserveBytesOf, withReserve } from './reserve.ts';
