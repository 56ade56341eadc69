import type { Controller } from '@lateen/kube-runtime';
import type { RoomContext } from '../frame/room-context.ts';
import { roomController } from '../frame/room-controller.ts';
import { engineImageRoom } from './engine-image/engine-image-room.ts';
import { instanceManagerRoom } from './instance-manager/instance-manager-room.ts';
import { kubernetesNodeRoom } from './kubernetes-node/kubernetes-node-room.ts';
import { kubernetesVolumeRoom } from './kubernetes-volume/kubernetes-volume-room.ts';
import { nodeRoom } from './node/node-room.ts';
import { DiskFolders } from './orphan/disk-folders.ts';
import { orphanFinderRoom } from './orphan/orphan-finder-room.ts';
import { orphanRoom } from './orphan/orphan-room.ts';
import { settingRoom } from './setting/setting-room.ts';

/** The rooms of nodes, disks, instance managers and other objects that do not belong to one volume. One line each. */
export const nodeRooms: readonly ((context: RoomContext) => Controller)[] = [
  (context) => roomController(context, engineImageRoom(context)),
  (context) => roomController(context, instanceManagerRoom(context)),
  (context) => roomController(context, kubernetesNodeRoom(context)),
  (context) => roomController(context, kubernetesVolumeRoom(context)),
  (context) => roomController(context, nodeRoom(context)),
  (context) => roomController(context, orphanFinderRoom(context, new DiskFolders(context.hosts, context.clock))),
  (context) => roomController(context, orphanRoom(context, new DiskFolders(context.hosts, context.clock))),
  (context) => roomController(context, settingRoom(context)),
];
