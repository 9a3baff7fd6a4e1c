package shell

import (
	"strings"
	"sync"
)

// deeds are what subcommands do, by the tool's name and up to three words.
var deeds = sync.OnceValue(func() map[string]action {
	all := make(map[string]action, 512)
	const install, deploy, network = shellInstall | shellNetwork, deployRun | shellNetwork, shellNetwork
	for does, lines := range map[action]string{
		install: `npm i|npm install|npm ci|npm add|npm update|npm up|npm link|npm in|npm clean-install|npm exec|npm x|npm init|npm create|npm audit fix|pnpm i|pnpm install|pnpm add|pnpm update|pnpm up|pnpm dlx|pnpm create|yarn|yarn install|yarn add|yarn up|yarn upgrade|yarn global|yarn dlx|yarn create|bun i|bun install|bun add|bun update|bun x|bun create|npx *|pnpx *|bunx *|corepack *
pip install|pip download|pip wheel|pipx install|pipx run|pipx upgrade|pipx inject|uv pip|uv add|uv sync|uv tool|uv python|uvx *|poetry install|poetry add|poetry update|poetry self|pipenv install|pipenv update|pipenv sync|pdm install|pdm add|pdm update|pdm sync|hatch env|rye sync|rye add|rye install|conda install|conda create|conda update|conda env|mamba install|mamba create
go get|go install|cargo install|cargo add|cargo binstall|rustup install|rustup update|rustup toolchain|rustup component|rustup target|gem install|gem update|bundle install|bundle update|bundle add|bundle|composer install|composer require|composer update|composer global|composer create-project|mix deps.get|mix archive.install|luarocks install|nuget install|nuget restore|dotnet add|dotnet restore|dotnet tool|cabal install|cabal update|stack install|opam install|pod install|pod update|swift package|mvn install:install-file|mvn dependency:get
apt install|apt-get install|apt upgrade|apt-get upgrade|apt full-upgrade|apt-get dist-upgrade|aptitude install|apt build-dep|apt-get build-dep|yum install|yum update|yum localinstall|dnf install|dnf update|dnf upgrade|zypper install|zypper in|zypper update|pacman *|yay *|apk add|apk upgrade|brew install|brew upgrade|brew tap|brew reinstall|brew bundle|port install|snap install|snap refresh|flatpak install|flatpak update|nix-env *|nix run|nix shell|nix profile|nix develop|choco install|choco upgrade|winget install|winget upgrade|scoop install|asdf install|asdf plugin|mise install|mise use|nvm install|pyenv install|rbenv install|fnm install|volta install|sdk install|helm plugin|krew install|playwright install|gh extension|aws codeartifact|code --install-extension|pre-commit install|pre-commit autoupdate|claude plugin|claude mcp|codex mcp|gemini extensions|gemini mcp`,
		shellInstall:                 `dpkg *|rpm *`,
		network:                      `npm view|npm info|npm search|npm outdated|npm audit|npm ping|npm login|npm whoami|npm token|npm owner|npm dist-tag|npm access|npm profile|npm org|npm show|pnpm outdated|pnpm audit|pnpm view|yarn info|yarn audit|yarn npm|pip index|pip search|go mod download|go mod tidy|go mod vendor|go list -m|cargo update|cargo fetch|cargo vendor|cargo search|cargo login|cargo owner|gem search|gem fetch|gem list -r|composer search|apt update|apt-get update|apt-get download|apt download|brew update|brew search|brew fetch|docker pull|docker push|docker login|docker search|docker manifest|docker buildx|podman pull|podman push|podman login|nerdctl pull|nerdctl push|docker-compose pull|docker compose pull|svn checkout|svn co|svn update|svn up|svn export|svn commit|hg clone|hg pull|hg push|jj git|fossil clone|repo sync|repo init|vagrant up|vagrant box|terraform init|terraform plan|terraform apply|terraform destroy|tofu init|tofu plan|tofu apply|tofu destroy|terragrunt *|pulumi up|pulumi preview|pulumi destroy|ansible *|openssl s_client|gpg --recv-keys|nuget push|ollama pull|ollama push|ollama run|sam deploy|cdk deploy|serverless deploy|mvn deploy|twine upload`,
		deploy:                       `kubectl apply|kubectl create|kubectl replace|kubectl patch|kubectl set|kubectl rollout|kubectl scale|kubectl edit|kubectl run|kubectl expose|kubectl label|kubectl annotate|kubectl cordon|kubectl drain|kubectl autoscale|oc apply|oc create|oc new-app|oc rollout|oc start-build|terraform apply|terraform import|tofu apply|terragrunt apply|terragrunt run-all|pulumi up|pulumi update|helm install|helm upgrade|helm rollback|helm uninstall|helm delete|helm push|fly deploy|fly launch|fly scale|fly secrets|flyctl deploy|flyctl launch|flyctl scale|flyctl secrets|vercel --prod|vercel deploy|vercel|vercel promote|vercel alias|netlify deploy|wrangler deploy|wrangler publish|wrangler pages|wrangler secret|railway up|railway deploy|render deploys|firebase deploy|supabase deploy|supabase db push|supabase functions deploy|doctl apps|eb deploy|eb create|sam deploy|cdk deploy|serverless deploy|sls deploy|gcloud app deploy|gcloud run deploy|gcloud functions deploy|gcloud builds submit|gcloud deploy|gcloud compute instances|az webapp|az functionapp|az deployment|az containerapp|heroku releases|heroku container:release|heroku container:push|heroku pipelines:promote|heroku config:set|aws deploy|aws lambda update-function-code|aws ecs update-service|aws cloudformation deploy|aws cloudformation create-stack|aws cloudformation update-stack|aws s3 website|aws elasticbeanstalk|aws amplify|aws ssm send-command|docker push|podman push|nerdctl push|docker stack deploy|docker service update|docker service create|docker-compose push|docker compose push|skopeo copy|crane push|npm publish|pnpm publish|yarn publish|yarn npm publish|bun publish|lerna publish|npm version publish|cargo publish|gem push|twine upload|poetry publish|uv publish|flit publish|hatch publish|pdm publish|mvn deploy|mvn release:perform|nuget push|dotnet nuget push|dotnet publish|cabal upload|mix hex.publish|luarocks upload|gh release create|gh release upload|gh release edit|gh workflow run|gh pr merge|gh secret set|gh variable set|gh api -X|glab release create|glab mr merge|glab ci run|hub release create|goreleaser release|goreleaser|kamal deploy|kamal redeploy|kamal setup|kamal app|skaffold run|skaffold deploy|argocd app sync|flux reconcile|jj git push`,
		deploy | shellDestroy:        `kubectl delete|oc delete|terraform destroy|tofu destroy|terragrunt destroy|pulumi destroy|cdk destroy|sls remove|serverless remove|sam delete|fly destroy|flyctl destroy|aws cloudformation delete-stack|helm uninstall|helm delete`,
		shellDestroy:                 `docker system prune|docker volume rm|docker volume prune|docker image prune|docker container prune|docker rmi|docker rm|podman system prune|podman volume rm|docker compose rm|docker-compose rm|vagrant destroy|aws s3 rm|aws s3 rb|aws ec2 terminate-instances|aws rds delete-db-instance|aws dynamodb delete-table|gsutil rm|gsutil rb|s3cmd del|s3cmd rb|s5cmd rm|mc rm|mc rb|az group delete|az vm delete|az storage|gcloud compute delete|gcloud sql|gcloud storage rm|gh release delete|gh run delete|gh issue delete|doctl compute|npm unpublish|npm deprecate|cargo yank|gem yank|hg strip|launchctl remove`,
		projectDelete | shellDestroy: `gcloud projects delete|gh repo delete|gh repo archive|glab repo delete|glab project delete|heroku apps:destroy|heroku apps:delete|vercel remove|vercel rm|vercel project rm|netlify sites:delete|fly apps destroy|flyctl apps destroy|railway delete|firebase projects:delete|supabase projects delete|az group delete|doctl projects delete|wrangler delete|eb terminate`,
		dbDrop:                       `heroku pg:reset|heroku redis:reset|supabase db reset|wrangler d1 delete|gcloud sql databases delete|gcloud sql instances delete|aws rds delete-db-instance|aws rds delete-db-cluster|aws dynamodb delete-table|bq rm|az sql db delete|fly postgres destroy|rake db:drop|rails db:drop`,
		dataExport:                   `gh gist create|gh issue create|gh pr create|gh pr comment|gh issue comment|glab snippet create|heroku pg:backups|aws s3api put-object|docker save|wrangler r2 object put|supabase db dump`,
		dbQuery:                      `heroku pg:psql|wrangler d1 execute|bq query|supabase db|fly postgres connect`,
		fileAutorun:                  `systemctl enable|systemctl link|launchctl load|launchctl bootstrap|schtasks /create|pre-commit install|husky install|husky add|husky init|lefthook install|claude mcp|codex mcp|gemini mcp|claude plugin|claude config`,
		shellUntrusted:               `pipx run|npm init|npm create|pnpm dlx|yarn dlx|bun x|uvx *|nix run`,
	} {
		for key := range strings.FieldsFuncSeq(lines, func(r rune) bool { return r == '|' || r == '\n' }) {
			all[key] |= does
		}
	}
	return all
})

// deedsOf returns what the subcommand does that the arguments name.
func deedsOf(name string, p parsed) action {
	var does action
	words := p.args[:min(3, len(p.args))]
	key := make([]byte, 0, 96)
	key = append(key, name...)
	if len(words) == 0 && !p.has("--version", "-v", "-V", "--help", "-h") {
		does |= deeds()[name]
	}
	for _, v := range words {
		key = append(append(key, ' '), v.s...)
		does |= deeds()[string(key)]
	}
	if len(p.args) > 0 && p.args[0].s != "help" {
		does |= deeds()[name+" *"]
	}
	for _, o := range p.opts {
		does |= deeds()[name+" "+o.name]
		if len(p.args) > 0 {
			does |= deeds()[name+" "+p.args[0].s+" "+o.name]
		}
	}
	switch name {
	case "npx", "bunx", "pnpx":
		if p.has("--no-install", "--no") {
			does = 0
		}
	case "dpkg":
		if !p.has("-i", "--install", "-r", "-P", "--unpack", "--configure") {
			does = 0
		}
	case "rpm":
		if !p.has("-i", "-U", "-F", "-e") {
			does = 0
		}
	case "pacman", "yay":
		if !p.has("-S", "-U", "-R") {
			does = 0
		}
	case "go":
		if len(p.args) > 1 && (p.args[0].s == "run" || p.args[0].s == "install" || p.args[0].s == "tool") {
			for _, v := range p.args[1:] {
				if strings.Contains(v.s, "@") {
					does |= shellInstall | shellNetwork
					if p.args[0].s == "run" {
						does |= shellUntrusted
					}
				}
			}
		}
		if len(p.args) > 1 && p.args[0].s == "install" && localPackages(p.args[1:]) || len(p.args) == 1 && p.args[0].s == "install" {
			does &^= shellInstall | shellNetwork
		}
	case "cargo":
		if len(p.args) > 0 && p.args[0].s == "install" && p.has("--path") && !p.has("--git") {
			does &^= shellNetwork
		}
	}
	return does
}

// localPackages reports whether all arguments are packages of the workspace.
func localPackages(args []value) bool {
	for _, v := range args {
		if !strings.HasPrefix(v.s, ".") || strings.Contains(v.s, "@") || v.open() {
			return false
		}
	}
	return true
}
