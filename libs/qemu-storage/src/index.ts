export type { BlockExport, SeenExport } from './commands/block-exports.ts';
export type { JobOptions, JobProgress, LayerMerge, SeenJob } from './commands/block-jobs.ts';
export type { BlockNode, CommandOptions, Qcow2Node } from './commands/block-nodes.ts';
export { type DaemonCheck, testedReleases } from './daemon/check-daemon.ts';
export {
  type ConnectStorageDaemonOptions,
  connectStorageDaemon,
  daemonReadyMs,
} from './daemon/connect-storage-daemon.ts';
export { type DaemonPlaces, daemonArguments, daemonEnvironment } from './daemon/daemon-arguments.ts';
export {
  type StartedStorageDaemon,
  type StartStorageDaemonOptions,
  startStorageDaemon,
} from './daemon/start-storage-daemon.ts';
export type { StorageDaemon } from './daemon/storage-daemon.ts';
export type { CreateImage } from './qemu-img/create-arguments.ts';
export type { AllocatedArea, CheckedImage, ImageInfo } from './qemu-img/image-answers.ts';
export { type InUse, type QemuImg, type QemuImgOptions, qemuImg } from './qemu-img/qemu-img.ts';
export type { QemuVersion, QmpEvent } from './qmp/qmp-message.ts';
