{{/* 42 characters: a StatefulSet's name has 52 at most, as its pods carry it in a label with a hash. */}}
{{- define "tidemark.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- .Values.fullnameOverride | default $full | trunc 42 | trimSuffix "-" -}}
{{- end -}}

{{/* Of a component: {root, component}. */}}
{{- define "tidemark.componentName" -}}
{{- $full := include "tidemark.fullname" .root -}}
{{- ternary $full (printf "%s-%s" $full .component) (eq .component "all") -}}
{{- end -}}

{{/* What runs, separated by blanks. */}}
{{- define "tidemark.components" -}}
{{- if eq .Values.mode "all" -}}
all
{{- else -}}
ingest projector sink{{ if .Values.webhooks.enabled }} webhooks{{ end }}
{{- end -}}
{{- end -}}

{{/* The component with the HTTP interface. */}}
{{- define "tidemark.serving" -}}
{{- ternary "all" "ingest" (eq .Values.mode "all") -}}
{{- end -}}

{{/* Whether the role ingest keeps messages on a volume: a text that is empty where not. */}}
{{- define "tidemark.hasSpool" -}}
{{- if and (eq .Values.mode "roles") .Values.ingest.spool.enabled -}}true{{- end -}}
{{- end -}}

{{- define "tidemark.selector" -}}
app.kubernetes.io/name: {{ .Values.nameOverride | default .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "tidemark.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{ include "tidemark.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "tidemark.image" -}}
{{- $ofMode := printf "%s%s" .Chart.AppVersion (ternary "-all" "" (eq .Values.mode "all")) -}}
{{- if .Values.image.digest -}}
{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default $ofMode }}
{{- end -}}
{{- end -}}

{{- define "tidemark.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ .Values.serviceAccount.name | default (include "tidemark.fullname" .) }}
{{- else -}}
{{ .Values.serviceAccount.name | default "default" }}
{{- end -}}
{{- end -}}
