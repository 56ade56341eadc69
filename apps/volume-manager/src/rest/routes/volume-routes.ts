import { bareVolumeResource, plannedVolume } from '@lateen/storage-rest';
import { longhornGroup, longhornVersion, type Volume } from '@lateen/storage-types';
import { listings, tagNames } from '../reading/listings.ts';
import { settingsOf } from '../reading/settings-of.ts';
import { volumeSeen } from '../reading/volume-seen.ts';
import { type Handle, longhornNeed, type Route } from '../serving/rest-call.ts';
import { actOnVolume } from '../volume-actions/act-on-volume.ts';
import { actionNeeds } from '../volume-actions/action-needs.ts';
import { createObject } from '../writing/write-object.ts';
import { listEndpoint } from './collection-routes.ts';
import { deleteEndpoint } from './delete-endpoint.ts';

const one: Handle = ({ name, base }, { reader }) => {
  const body = listings.volumes?.one(reader, name, base);
  // Without a body, as clients have always seen it.
  return body === undefined ? { status: 404 } : { body };
};

const create: Handle = async (call, ports) => {
  const { reader, namespace } = ports;
  const { name, spec, labels } = plannedVolume(call.body(), {
    settings: settingsOf(reader),
    nodeTags: tagNames(reader, 'node'),
    diskTags: tagNames(reader, 'disk'),
    backup: (backup) => reader.get('backups', backup),
    volume: (volume) => reader.get('volumes', volume),
  });
  const metadata = { name, namespace, labels };
  const object: Volume = { apiVersion: `${longhornGroup}/${longhornVersion}`, kind: 'Volume', metadata, spec };
  const volume = await createObject(ports, 'volumes', object, call.signal);
  return { body: bareVolumeResource(volumeSeen(volume, reader), call.base) };
};

export const volumeRoutes: readonly Route[] = [
  {
    path: '/v1/volumes',
    methods: {
      GET: listEndpoint('volumes'),
      POST: { needs: [longhornNeed('create', 'volumes')], handle: create },
    },
  },
  {
    path: '/v1/volumes/:name',
    methods: {
      GET: { needs: [longhornNeed('get', 'volumes')], handle: one },
      DELETE: deleteEndpoint('volumes', 'volumes'),
      POST: { needs: actionNeeds, handle: actOnVolume },
    },
  },
];
