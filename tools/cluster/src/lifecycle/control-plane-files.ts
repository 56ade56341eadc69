import { join } from 'node:path';
import type { ApiAccess } from '../api-server/api-request.ts';
import { auditPolicy, auditPolicyFile } from '../control-plane/audit-policy.ts';
import { controlPlaneClients } from '../control-plane/control-plane-programs.ts';
import { writeFileAtomically } from '../host/write-file.ts';
import { clusterNetwork } from '../network/addresses.ts';
import { type CertificateStore, openCertificateStore } from '../pki/certificate-store.ts';
import { kubeconfig } from '../pki/kubeconfig.ts';
import { apiServerUrl } from './cluster-info.ts';
import type { ClusterLayout } from './cluster-layout.ts';
import type { ClusterState } from './cluster-state.ts';

export interface ControlPlaneFiles {
  certificates: CertificateStore;
  access: ApiAccess;
  servingCertificate: string;
}

/** Certificates and kubeconfigs of control plane and administrator. Safe to repeat; keeps existing ones. */
export async function writeControlPlaneFiles(
  layout: ClusterLayout,
  state: ClusterState,
  nowMs: number,
): Promise<ControlPlaneFiles> {
  const certificates = await openCertificateStore(layout.pkiDir, `lateen-${layout.id}`, nowMs);
  const serving = await certificates.certificate('apiserver', {
    subject: 'CN=kube-apiserver',
    dnsNames: [
      'localhost',
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
    ],
    ipAddresses: [
      '127.0.0.1',
      state.link.clusterAddress,
      clusterNetwork.controlPlaneAddress,
      clusterNetwork.apiServiceAddress,
    ],
  });
  await certificates.certificate('apiserver-kubelet-client', { subject: 'CN=kube-apiserver,O=system:masters' });
  await writeFileAtomically(join(layout.pkiDir, auditPolicyFile), auditPolicy());
  const authority = certificates.authority.certificate;
  const local = `https://127.0.0.1:${clusterNetwork.apiServerPort}`;
  for (const [name, subject] of Object.entries(controlPlaneClients)) {
    const client = await certificates.certificate(name, { subject });
    const text = kubeconfig({ name, server: local, authority, client });
    await writeFileAtomically(join(layout.pkiDir, `${name}.kubeconfig`), text, { secret: true });
  }
  const client = await certificates.certificate('admin', { subject: 'CN=lateen-admin,O=system:masters' });
  const url = apiServerUrl(state);
  const text = kubeconfig({ name: `lateen-${layout.id}`, server: url, authority, client });
  await writeFileAtomically(layout.kubeconfig, text, { secret: true });
  return { certificates, access: { url, authority, client }, servingCertificate: serving.certificate };
}
