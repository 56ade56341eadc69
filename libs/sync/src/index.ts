export { runSyncController, type SyncControllerOptions } from './run-sync-controller.ts';
