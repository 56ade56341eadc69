export { type OpenedChain, snapshotSource } from './snapshot-source.ts';
export {
  type OpenedSource,
  type OpenedTarget,
  type TransferHost,
  type TransferPorts,
  transferHost,
} from './transfer-host.ts';
