export { type FsLimits, type FsStoreConfig, type FsStoreDeps, fsLimitsDefault, fsStore } from './fs-store.ts';
