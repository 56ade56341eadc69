export { type OpenedChain, snapshotSource } from './snapshot-source.ts';
export { type OpenedTarget, type TransferHost, type TransferPorts, transferHost } from './transfer-host.ts';
