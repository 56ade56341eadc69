import { engineImageResource, onlyFields, readInput, refused } from '@lateen/storage-rest';
import { type EngineImage, engineImageName, longhornGroup, longhornVersion } from '@lateen/storage-types';
import { checkEngineImageDeletion } from '@lateen/volume-decisions';
import { settingsOf } from '../reading/settings-of.ts';
import { type Handle, longhornNeed, type RestPorts, type Route } from '../serving/rest-call.ts';
import { createObject } from '../writing/write-object.ts';
import { listEndpoint, oneEndpoint } from './collection-routes.ts';
import { deleteEndpoint } from './delete-endpoint.ts';

const defaultImage = ({ reader }: RestPorts): string => settingsOf(reader).text('default-engine-image');

const create: Handle = async (call, ports) => {
  const image = imageOf(call.body());
  const object: EngineImage = {
    apiVersion: `${longhornGroup}/${longhornVersion}`,
    kind: 'EngineImage',
    metadata: { name: engineImageName(image) },
    spec: { image },
  };
  const made = await createObject(ports, 'engineImages', object, call.signal);
  return { body: engineImageResource(made, defaultImage(ports), call.base) };
};

function imageOf(body: unknown): string {
  const input = readInput('engineImage', onlyFields(body, ['image']));
  const text = input.text('image').trim();
  if (text === '') throw refused('engine image is required');
  return text;
}

export const engineImageRoutes: readonly Route[] = [
  {
    path: '/v1/engineimages',
    methods: {
      GET: listEndpoint('engineimages'),
      POST: { needs: [longhornNeed('create', 'engineimages')], handle: create },
    },
  },
  {
    path: '/v1/engineimages/:name',
    methods: {
      GET: oneEndpoint('engineimages'),
      DELETE: deleteEndpoint('engineimages', 'engineImages', ({ metadata, spec, status }, ports) =>
        checkEngineImageDeletion({
          name: metadata.name ?? '',
          image: spec.image,
          defaultImage: defaultImage(ports),
          refCount: status?.refCount ?? 0,
        }),
      ),
    },
  },
];
