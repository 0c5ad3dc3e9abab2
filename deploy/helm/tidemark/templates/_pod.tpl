{{/* The keys of the Secret that a component needs, as a list of YAML: {root, component}. */}}
{{- define "tidemark.secretKeys" -}}
{{- $first := list "INITIAL_WRITE_KEY" "INITIAL_READ_KEY" "INITIAL_ADMIN_KEY" -}}
{{- $withheld := dict "all" (list) "ingest" (list) "projector" (append $first "ANALYTICS_URL") "sink" $first "webhooks" (concat $first (list "EVENT_LOG_URL" "SCHEMA_REGISTRY_URL")) "migrate" (append $first "METRICS_KEY") -}}
{{- range .root.Values.secret.keys }}
{{- if not (has . (index $withheld $.component)) }}
- {{ . }}
{{- end }}
{{- end }}
{{- end -}}

{{/* The settings of a component that are no secrets, as YAML: {root, component}. */}}
{{- define "tidemark.settings" -}}
{{- $values := .root.Values -}}
{{- $own := index $values .component -}}
{{- $set := dict "DATA_DIR" "/data/tidemark" -}}
{{- if eq $values.mode "roles" -}}
{{- $set = set $set "EVENT_LOG_PARTITIONS" "12" -}}
{{- if and $values.migrate.enabled (ne .component "migrate") -}}
{{- $set = set $set "MIGRATE" "off" -}}
{{- end -}}
{{- end -}}
{{- if and (eq .component "ingest") (include "tidemark.hasSpool" .root) -}}
{{- $set = set $set "SPOOL_DIR" "/data/spool" -}}
{{- end -}}
{{- toYaml (mergeOverwrite $set $values.settings $own.settings) -}}
{{- end -}}

{{/* The template of a pod: {root, component}. */}}
{{- define "tidemark.pod" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
{{- $component := .component -}}
{{- $own := index $values $component -}}
{{- $isJob := eq $component "migrate" -}}
{{- $secret := dig "secretName" "" $own | default $values.secret.name -}}
{{- $keys := ternary (include "tidemark.secretKeys" . | fromYamlArray) (list) (ne $secret "") -}}
{{- $hasClaim := or (eq $component "all") (and (eq $component "ingest") $values.ingest.spool.enabled) -}}
metadata:
  labels:
    {{- if $isJob }}
    app.kubernetes.io/name: {{ $values.nameOverride | default $root.Chart.Name }}-migrate
    app.kubernetes.io/instance: {{ $root.Release.Name }}
    {{- else }}
    {{- include "tidemark.selector" $root | nindent 4 }}
    {{- end }}
    app.kubernetes.io/component: {{ $component }}
    {{- with $values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if $isJob }}
  restartPolicy: Never
  {{- /* A hook comes before what the chart makes. */}}
  serviceAccountName: {{ ternary "default" (include "tidemark.serviceAccount" $root) $values.serviceAccount.create }}
  {{- else }}
  serviceAccountName: {{ include "tidemark.serviceAccount" $root }}
  {{- end }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- /* Linux does not let the first process of a container kill itself, as the watchdog does. Here another is the first. */}}
  shareProcessNamespace: true
  terminationGracePeriodSeconds: {{ ternary 25 20 (eq $component "ingest") }}
  {{- with $values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  securityContext:
    {{- toYaml $values.podSecurityContext | nindent 4 }}
  {{- with $values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if and (not (has $component (list "all" "migrate"))) $values.spread.topologyKeys }}
  topologySpreadConstraints:
    {{- range $values.spread.topologyKeys }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: {{ $values.spread.whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "tidemark.selector" $root | nindent 10 }}
          app.kubernetes.io/component: {{ $component }}
    {{- end }}
  {{- end }}
  containers:
    - name: tidemark
      image: {{ include "tidemark.image" $root | quote }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      {{- if $isJob }}
      command: [tidemark, migrate]
      {{- else }}
      args: [{{ $component }}]
      {{- end }}
      env:
        {{- range $name, $value := include "tidemark.settings" (dict "root" $root "component" $component) | fromYaml }}
        - name: {{ $name }}
          value: {{ $value | quote }}
        {{- end }}
        {{- range $keys }}
        - name: {{ . }}_FILE
          value: /etc/tidemark/secrets/{{ . }}
        {{- end }}
      {{- if not $isJob }}
      ports:
        - name: http
          containerPort: 8080
      {{- include "tidemark.probes" . | nindent 6 }}
      {{- end }}
      {{- if eq $component "ingest" }}
      lifecycle:
        preStop:
          {{- /* Whoever sends here learns first that this pod is leaving. */}}
          exec: { command: [sleep, '5'] }
      {{- end }}
      resources:
        {{- toYaml $own.resources | nindent 8 }}
      securityContext:
        {{- toYaml $values.securityContext | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /data
        - name: tmp
          mountPath: /tmp
        {{- if $keys }}
        - name: secrets
          mountPath: /etc/tidemark/secrets
          readOnly: true
        {{- end }}
        {{- with $values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    {{- if not $hasClaim }}
    - name: data
      emptyDir: {}
    {{- end }}
    - name: tmp
      emptyDir: { sizeLimit: 64Mi }
    {{- if $keys }}
    - name: secrets
      secret:
        secretName: {{ $secret }}
        {{- /* 0440: the files belong to root and the group of the pod. */}}
        defaultMode: 288
        items:
          {{- range $keys }}
          - { key: {{ . }}, path: {{ . }} }
          {{- end }}
    {{- end }}
    {{- with $values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{/* The port is bound before all else, and /healthz answers from then on. */}}
{{- define "tidemark.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 30
livenessProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 2
{{- end -}}
