-- 41 detection rules over one stream of security events. Every match goes to files, one folder a rule; the events are read once.
--   DEMO=/a/folder millstream run examples/detect/job.sql
-- reads $DEMO/events.jsonl and writes $DEMO/alerts/RULE/.

CREATE TABLE events (
  id BIGINT,
  ts TIMESTAMP(3),
  event_type STRING,
  host STRING,
  `user` STRING,
  src_ip STRING,
  dst_ip STRING,
  dst_port INT,
  proc_path STRING,
  cmdline STRING,
  pid INT,
  `method` STRING,
  url STRING,
  user_agent STRING,
  status INT,
  `bytes` BIGINT,
  success BOOLEAN,
  asset BIGINT,
  agent ROW<name STRING, version ARRAY<INT>, tags ARRAY<STRING>, labels MAP<STRING, STRING>>,
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH (
  'connector' = 'filesystem',
  'path' = '${DEMO}/events.jsonl',
  'format' = 'json'
);

CREATE TABLE alerts (
  id BIGINT,
  ts TIMESTAMP(3),
  host STRING,
  `user` STRING,
  sensor STRING,
  evidence STRING
) WITH (
  'connector' = 'filesystem',
  'path' = '${DEMO}/alerts/all',
  'format' = 'json'
);

CREATE TABLE encoded_powershell WITH ('path' = '${DEMO}/alerts/encoded_powershell') LIKE alerts;
INSERT INTO encoded_powershell SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE REGEXP(cmdline, '(?i)powershell(\.exe)?\s.*-e(nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{16,}');

CREATE TABLE powershell_download WITH ('path' = '${DEMO}/alerts/powershell_download') LIKE alerts;
INSERT INTO powershell_download SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE LOWER(cmdline) LIKE '%powershell%downloadstring%';

CREATE TABLE certutil_download WITH ('path' = '${DEMO}/alerts/certutil_download') LIKE alerts;
INSERT INTO certutil_download SELECT id, ts, host, `user`, agent.name, url FROM events
  WHERE cmdline LIKE '%certutil%-urlcache%';

CREATE TABLE credential_dump_mimikatz WITH ('path' = '${DEMO}/alerts/credential_dump_mimikatz') LIKE alerts;
INSERT INTO credential_dump_mimikatz SELECT id, ts, host, `user`, agent.name, url FROM events
  WHERE cmdline LIKE '%sekurlsa::%' OR cmdline LIKE '%privilege::debug%';

CREATE TABLE shadow_copies_deleted WITH ('path' = '${DEMO}/alerts/shadow_copies_deleted') LIKE alerts;
INSERT INTO shadow_copies_deleted SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE REGEXP(cmdline, '(?i)vssadmin(\.exe)?\s+delete\s+shadows');

CREATE TABLE wmic_process_create WITH ('path' = '${DEMO}/alerts/wmic_process_create') LIKE alerts;
INSERT INTO wmic_process_create SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE REGEXP(cmdline, 'wmic\s+process\s+call\s+create');

CREATE TABLE rundll32_from_public WITH ('path' = '${DEMO}/alerts/rundll32_from_public') LIKE alerts;
INSERT INTO rundll32_from_public SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE cmdline LIKE 'rundll32%' AND cmdline LIKE '%\Users\Public\%';

CREATE TABLE regsvr32_scriptlet WITH ('path' = '${DEMO}/alerts/regsvr32_scriptlet') LIKE alerts;
INSERT INTO regsvr32_scriptlet SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE cmdline LIKE '%regsvr32%' AND REGEXP(cmdline, '/i:https?://');

CREATE TABLE run_key_persistence WITH ('path' = '${DEMO}/alerts/run_key_persistence') LIKE alerts;
INSERT INTO run_key_persistence SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE cmdline LIKE '%CurrentVersion\Run%';

CREATE TABLE scheduled_task WITH ('path' = '${DEMO}/alerts/scheduled_task') LIKE alerts;
INSERT INTO scheduled_task SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE REGEXP(cmdline, '(?i)schtasks(\.exe)?\s+/create');

CREATE TABLE local_user_added WITH ('path' = '${DEMO}/alerts/local_user_added') LIKE alerts;
INSERT INTO local_user_added SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE REGEXP(cmdline, 'net\s+user\s+\S+\s+\S+\s+/add');

CREATE TABLE local_admin_added WITH ('path' = '${DEMO}/alerts/local_admin_added') LIKE alerts;
INSERT INTO local_admin_added SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE REGEXP(cmdline, '(?i)localgroup\s+administrators\s+\S+\s+/add');

CREATE TABLE bitsadmin_transfer WITH ('path' = '${DEMO}/alerts/bitsadmin_transfer') LIKE alerts;
INSERT INTO bitsadmin_transfer SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE cmdline LIKE 'bitsadmin%/transfer%';

CREATE TABLE event_log_cleared WITH ('path' = '${DEMO}/alerts/event_log_cleared') LIKE alerts;
INSERT INTO event_log_cleared SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE cmdline IN ('wevtutil cl Security', 'wevtutil cl System', 'wevtutil cl Application');

CREATE TABLE lsass_dump WITH ('path' = '${DEMO}/alerts/lsass_dump') LIKE alerts;
INSERT INTO lsass_dump SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE cmdline LIKE '%lsass%' AND NOT (user_agent IS NOT NULL);

CREATE TABLE reverse_shell_dev_tcp WITH ('path' = '${DEMO}/alerts/reverse_shell_dev_tcp') LIKE alerts;
INSERT INTO reverse_shell_dev_tcp SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE cmdline LIKE '%/dev/tcp/%';

CREATE TABLE netcat_shell WITH ('path' = '${DEMO}/alerts/netcat_shell') LIKE alerts;
INSERT INTO netcat_shell SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE REGEXP(cmdline, '\bnc\s+-e\s+/bin/(ba)?sh');

CREATE TABLE curl_pipe_shell WITH ('path' = '${DEMO}/alerts/curl_pipe_shell') LIKE alerts;
INSERT INTO curl_pipe_shell SELECT id, ts, host, `user`, agent.name, url FROM events
  WHERE REGEXP(cmdline, '(curl|wget)\s.*\|\s*(ba)?sh');

CREATE TABLE shadow_file_read WITH ('path' = '${DEMO}/alerts/shadow_file_read') LIKE alerts;
INSERT INTO shadow_file_read SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE cmdline LIKE '%/etc/shadow%';

CREATE TABLE setuid_in_tmp WITH ('path' = '${DEMO}/alerts/setuid_in_tmp') LIKE alerts;
INSERT INTO setuid_in_tmp SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE cmdline LIKE 'chmod u+s /tmp/%';

CREATE TABLE coin_miner WITH ('path' = '${DEMO}/alerts/coin_miner') LIKE alerts;
INSERT INTO coin_miner SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE cmdline LIKE '%xmrig%' OR cmdline LIKE '%stratum+tcp%';

CREATE TABLE python_pty WITH ('path' = '${DEMO}/alerts/python_pty') LIKE alerts;
INSERT INTO python_pty SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE cmdline LIKE '%pty.spawn%';

CREATE TABLE base64_pipe_shell WITH ('path' = '${DEMO}/alerts/base64_pipe_shell') LIKE alerts;
INSERT INTO base64_pipe_shell SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE REGEXP(cmdline, 'base64\s+-d\s.*\|\s*sh');

CREATE TABLE second_root_user WITH ('path' = '${DEMO}/alerts/second_root_user') LIKE alerts;
INSERT INTO second_root_user SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE cmdline LIKE 'useradd %' AND cmdline LIKE '%-u 0 %';

CREATE TABLE reverse_tunnel WITH ('path' = '${DEMO}/alerts/reverse_tunnel') LIKE alerts;
INSERT INTO reverse_tunnel SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE REGEXP(cmdline, 'ssh\s+-R\s+\d+:');

CREATE TABLE firewall_flushed WITH ('path' = '${DEMO}/alerts/firewall_flushed') LIKE alerts;
INSERT INTO firewall_flushed SELECT id, ts, host, `user`, agent.name, cmdline FROM events
  WHERE cmdline = 'iptables -F';

CREATE TABLE program_in_public WITH ('path' = '${DEMO}/alerts/program_in_public') LIKE alerts;
INSERT INTO program_in_public SELECT id, ts, host, `user`, agent.name, proc_path FROM events
  WHERE REGEXP(proc_path, '(?i)^C:\\Users\\Public\\[^\\]+\.exe$');

CREATE TABLE svchost_elsewhere WITH ('path' = '${DEMO}/alerts/svchost_elsewhere') LIKE alerts;
INSERT INTO svchost_elsewhere SELECT id, ts, host, `user`, agent.name, proc_path FROM events
  WHERE proc_path LIKE '%\svchost.exe' AND NOT (proc_path LIKE 'C:\Windows\System32\%');

CREATE TABLE program_in_tmp WITH ('path' = '${DEMO}/alerts/program_in_tmp') LIKE alerts;
INSERT INTO program_in_tmp SELECT id, ts, host, `user`, agent.name, proc_path FROM events
  WHERE proc_path LIKE '/tmp/%' OR proc_path LIKE '/dev/shm/%';

CREATE TABLE path_traversal WITH ('path' = '${DEMO}/alerts/path_traversal') LIKE alerts;
INSERT INTO path_traversal SELECT id, ts, host, `user`, agent.name, url FROM events
  WHERE REGEXP(url, '(\.\./){2,}');

CREATE TABLE sql_injection WITH ('path' = '${DEMO}/alerts/sql_injection') LIKE alerts;
INSERT INTO sql_injection SELECT id, ts, host, `user`, agent.name, url FROM events
  WHERE REGEXP(url, '(?i)(''|%27)\s*(or|and)\s+(''|%27)?\d+');

CREATE TABLE cross_site_scripting WITH ('path' = '${DEMO}/alerts/cross_site_scripting') LIKE alerts;
INSERT INTO cross_site_scripting SELECT id, ts, host, `user`, agent.name, url FROM events
  WHERE LOWER(url) LIKE '%\%3cscript%' ESCAPE '\';

CREATE TABLE wordpress_login WITH ('path' = '${DEMO}/alerts/wordpress_login') LIKE alerts;
INSERT INTO wordpress_login SELECT id, ts, host, `user`, agent.name, url FROM events
  WHERE REGEXP(url, '/wp-(login|admin)');

CREATE TABLE cgi_command WITH ('path' = '${DEMO}/alerts/cgi_command') LIKE alerts;
INSERT INTO cgi_command SELECT id, ts, host, `user`, agent.name, url FROM events
  WHERE url LIKE '%/cgi-bin/%' AND url LIKE '%cmd=%';

CREATE TABLE git_exposed WITH ('path' = '${DEMO}/alerts/git_exposed') LIKE alerts;
INSERT INTO git_exposed SELECT id, ts, host, `user`, agent.name, url FROM events
  WHERE url LIKE '%/.git/config';

CREATE TABLE log4shell WITH ('path' = '${DEMO}/alerts/log4shell') LIKE alerts;
INSERT INTO log4shell SELECT id, ts, host, `user`, agent.name, url FROM events
  WHERE url LIKE '%${jndi:%';

CREATE TABLE scanner_agent WITH ('path' = '${DEMO}/alerts/scanner_agent') LIKE alerts;
INSERT INTO scanner_agent SELECT id, ts, host, `user`, agent.name, user_agent FROM events
  WHERE REGEXP(user_agent, '(?i)(sqlmap|nikto|nmap|masscan)');

CREATE TABLE odd_port WITH ('path' = '${DEMO}/alerts/odd_port') LIKE alerts;
INSERT INTO odd_port SELECT id, ts, host, `user`, agent.name, dst_ip || ':' || CAST(dst_port AS STRING) FROM events
  WHERE event_type = 'net_conn' AND dst_port IN (4444, 3333, 6667) AND dst_ip LIKE '203.0.113.%';

CREATE TABLE failed_login_of_default_user WITH ('path' = '${DEMO}/alerts/failed_login_of_default_user') LIKE alerts;
INSERT INTO failed_login_of_default_user SELECT id, ts, host, `user`, agent.name, src_ip FROM events
  WHERE event_type = 'login' AND success IS FALSE AND `user` IN ('support', 'guest', 'test');

CREATE TABLE large_upload_from_dmz WITH ('path' = '${DEMO}/alerts/large_upload_from_dmz') LIKE alerts;
INSERT INTO large_upload_from_dmz SELECT id, ts, host, `user`, agent.name, CAST(`bytes` AS STRING) FROM events
  WHERE `bytes` BETWEEN 1048000 AND 1048575 AND dst_port <> 443 AND agent.tags[2] = 'dmz' AND agent.labels['tier'] = 'gold';

CREATE TABLE old_sensor_in_core WITH ('path' = '${DEMO}/alerts/old_sensor_in_core') LIKE alerts;
INSERT INTO old_sensor_in_core SELECT id, ts, host, `user`, agent.name, agent.name FROM events
  WHERE agent.version[1] = 1 AND agent.version[2] = 0 AND agent.version[3] < 2 AND agent.labels['zone'] IN ('zone-6', 'zone-7') AND agent.tags[2] = 'core' AND event_type NOT IN ('http', 'net_conn');
