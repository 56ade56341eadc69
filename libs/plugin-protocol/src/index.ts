export * as backupItemActionV1 from './generated/backup-item-action-v1.ts';
export * as backupItemActionV2 from './generated/backup-item-action-v2.ts';
export * as deleteItemAction from './generated/delete-item-action.ts';
export * as goPlugin from './generated/go-plugin.ts';
export * as health from './generated/health.ts';
export * as itemBlockAction from './generated/item-block-action-v1.ts';
export * as lateenProgram from './generated/lateen-program.ts';
export * as objectStore from './generated/object-store.ts';
export * as pluginLister from './generated/plugin-lister.ts';
export * as restoreItemActionV1 from './generated/restore-item-action-v1.ts';
export * as restoreItemActionV2 from './generated/restore-item-action-v2.ts';
export type { OperationProgress, ResourceIdentifier, ResourceSelector } from './generated/shared.ts';
export * as volumeSnapshotter from './generated/volume-snapshotter.ts';
export {
  appProtocolVersion,
  cookie,
  coreProtocolVersion,
  handshakeEnvironment,
  handshakeLine,
  healthServiceName,
  socketOfHandshake,
} from './handshake.ts';
export { isPluginKind, type PluginKind, pluginKinds } from './kinds.ts';
export { isPanic, type PluginLogLine, pluginLogReader, pluginLogText } from './log-line.ts';
export { parallelCallsMax } from './parallel-calls.ts';
export { fullPluginName, wrongInPluginName } from './plugin-name.ts';
export { pluginErrorCodes, type StackPlace, stackIn, statusDetails, statusDetailsTrailer } from './status-details.ts';
