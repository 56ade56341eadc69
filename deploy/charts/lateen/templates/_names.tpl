{{- define "lateen.image" -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag }}
{{- end -}}
{{- end -}}

{{/* Two installations in one cluster share cluster-wide names, so those carry the namespace when it is not the usual. */}}
{{- define "lateen.nodeAgentClusterRole" -}}
lateen-node-agent{{ if ne .Values.namespace.name "velero" }}-{{ .Values.namespace.name }}{{ end }}
{{- end -}}
{{- define "lateen.controllerClusterRole" -}}
lateen-controller{{ if ne .Values.namespace.name "velero" }}-{{ .Values.namespace.name }}{{ end }}
{{- end -}}

{{/* Data movers of pod volumes mount a path of the host, which no other level allows. */}}
{{- define "lateen.podSecurityLevel" -}}
{{ if and .Values.podVolumes.enabled .Values.podVolumes.hostPaths }}privileged{{ else }}baseline{{ end }}
{{- end -}}
