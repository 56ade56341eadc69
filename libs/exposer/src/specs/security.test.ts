import { describe, expect, it } from 'vitest';
import { containerSecurity, podSecurity } from './security.ts';

const readOnly = { writableRoot: false };

describe('the security context of a hosting pod', () => {
  it('runs as root and keeps the other inherited fields', () => {
    const inherited = {
      runAsUser: 1000,
      runAsGroup: 1000,
      fsGroup: 5,
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    };
    expect(podSecurity(inherited, { spcNoRelabeling: false })).toEqual({
      runAsUser: 0,
      seccompProfile: { type: 'RuntimeDefault' },
    });
  });
  it('can have an SELinux type that avoids relabelling', () => {
    const inherited = { seLinuxOptions: { type: 'container_t', level: 's0' } };
    expect(podSecurity(inherited, { spcNoRelabeling: true })).toEqual({
      runAsUser: 0,
      seLinuxOptions: { type: 'spc_t', level: 's0' },
    });
    expect(podSecurity(inherited, { spcNoRelabeling: false }).seLinuxOptions).toEqual(inherited.seLinuxOptions);
  });
  it('has the capabilities that a restore needs when the agent drops all', () => {
    const security = containerSecurity(
      {
        privileged: true,
        capabilities: { drop: ['all'], add: ['NET_BIND_SERVICE', 'CHOWN'] },
      },
      readOnly,
    );
    expect(security).toEqual({
      capabilities: {
        drop: ['all'],
        add: ['NET_BIND_SERVICE', 'CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'MKNOD', 'SETFCAP'],
      },
    });
  });
  it('gets no capability when the agent has the default set of the runtime', () => {
    expect(containerSecurity({ capabilities: { drop: ['NET_RAW'] } }, readOnly)).toEqual({
      capabilities: { drop: ['NET_RAW'] },
    });
  });
  it('keeps the root file system read-only, except for a restore, where kopia writes beside the volume', () => {
    const inherited = { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false };
    expect(containerSecurity(inherited, readOnly)).toEqual(inherited);
    expect(containerSecurity(inherited, { writableRoot: true })).toEqual({ allowPrivilegeEscalation: false });
  });
  it('is omitted when it would be empty', () => {
    expect(containerSecurity({ privileged: true, runAsUser: 5 }, readOnly)).toBeUndefined();
    expect(containerSecurity(undefined, readOnly)).toBeUndefined();
  });
});
