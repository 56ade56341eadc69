import { definePlugin } from '@lateen/plugin';
import { folderStore } from './folder-store.ts';
import { folderVolumes } from './folder-volumes.ts';
import { backupV1, backupV2, block, deleteItem, restoreV1, restoreV2 } from './item-actions.ts';

/** The program of the README, on the TypeScript SDK. */
export const fixturePlugin = definePlugin({
  name: 'fixture.lateen.dev/typescript',
  backupItemActions: { 'fixture.lateen.dev/backup-v1': backupV1, 'fixture.lateen.dev/backup': backupV2 },
  restoreItemActions: { 'fixture.lateen.dev/restore-v1': restoreV1, 'fixture.lateen.dev/restore': restoreV2 },
  itemBlockActions: { 'fixture.lateen.dev/block': block },
  deleteItemActions: { 'fixture.lateen.dev/delete': deleteItem },
  volumeSnapshotters: { 'fixture.lateen.dev/volumes': folderVolumes },
  objectStores: { 'fixture.lateen.dev/store': folderStore },
});
