import { describeBlockEngine } from '@lateen/testing';
import { engineRig } from './engine-rig.ts';

describeBlockEngine('replicated over the in-memory API, with a model of the manager', async () => {
  const { engine, devices, manager } = engineRig();
  return {
    engine,
    node: 'node-1',
    otherNode: 'node-2',
    volumeBytes: 32 * 1024 * 1024,
    write: (device, at, bytes) => devices.write(device, at, bytes),
    read: (device, at, lengthBytes) => devices.read(device, at, lengthBytes),
    deviceBytes: (device) => devices.deviceBytes(device),
    close: async () => manager?.settled(),
  };
});
